package deploy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/deploy/deptest"
)

// topLevel is all that may lie in the first directory a stranger sees, beside dotfiles. Something new belongs inside one
// of these, or the list, the README's tree and this comment change together.
var topLevel = []string{
	"admission", "caddymodule", "cdn", "core", "deploy", "loadtest", "migrations", "seatmap",
	"CHANGELOG.md", "LICENSE", "Makefile", "README.md", "go.mod", "go.sum",
}

// maxLines is the longest file a reader should meet; the median is a quarter of it. longFiles lists each exception with
// its reason, and an exception that is no longer needed fails.
const maxLines = 400

var longFiles = map[string]string{}

// writtenByHand are the kinds of files that people read. Data, checksums and the license are not.
var writtenByHand = []string{".go", ".lua", ".sql", ".js", ".css", ".html", ".sh", ".md"}

// attics are package names that say nothing about what is inside, and so collect everything.
var attics = []string{"util", "utils", "common", "helper", "helpers", "model", "models", "type", "types", "service", "services", "manager", "managers", "misc", "base"}

func root(t *testing.T) string {
	t.Helper()
	dir, err := deptest.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".prof") {
			continue
		}
		if !slices.Contains(topLevel, name) {
			t.Errorf("%s lies at the top level; allowed are %s", name, strings.Join(topLevel, ", "))
		}
	}
}

// A build outside of make must not use a standard library that the one inside avoids.
func TestOneToolchain(t *testing.T) {
	dir := root(t)
	named := map[string]string{}
	for file, before := range map[string]string{"go.mod": "toolchain ", "Makefile": "export GOTOOLCHAIN = "} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if name, ok := strings.CutPrefix(line, before); ok {
				named[file] = strings.TrimSpace(name)
			}
		}
	}
	if named["go.mod"] == "" || named["go.mod"] != named["Makefile"] {
		t.Errorf("the toolchains named are %v: one, in both", named)
	}
}

func TestFilesFitAReader(t *testing.T) {
	dir := root(t)
	seen := map[string]bool{}
	err := deptest.WalkSource(dir, func(file string) error {
		if !slices.Contains(writtenByHand, path.Ext(file)) || strings.Contains(file, "/testdata/") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return err
		}
		lines := strings.Count(string(text), "\n")
		switch reason := longFiles[file]; {
		case lines > maxLines && reason == "":
			t.Errorf("%s has %d lines, more than %d: split it by what it is about, or list it in longFiles with the reason", file, lines, maxLines)
		case lines <= maxLines && reason != "":
			t.Errorf("%s has %d lines and needs no exception any more", file, lines)
		}
		seen[file] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for file := range longFiles {
		if !seen[file] {
			t.Errorf("longFiles lists %s, which does not exist", file)
		}
	}
}

func TestPackagesHaveANameAndADocument(t *testing.T) {
	dir := root(t)
	documented := map[string]bool{}
	err := deptest.WalkSource(dir, func(file string) error {
		if path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, file), nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		if slices.Contains(attics, f.Name.Name) {
			t.Errorf("%s: package %s says nothing about what is inside", file, f.Name.Name)
		}
		pkg := path.Dir(file)
		documented[pkg] = documented[pkg] || saysSomething(f.Doc)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment", pkg)
		}
	}
}

func saysSomething(doc *ast.CommentGroup) bool {
	return doc != nil && strings.TrimSpace(doc.Text()) != ""
}
