package deptest

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Module is the path every package of this repository starts with.
const Module = "github.com/ropeline/ropeline"

// Graph maps each package of the module, by import path, to what its non-test files import, sorted.
type Graph map[string][]string

// Root finds the directory with go.mod, upwards from the test's own.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod above the test's directory")
		}
		dir = up
	}
}

// Read parses the imports of every package below root. Files for every system and build tag count: an arrow must hold on
// all of them.
func Read(root string) (Graph, error) {
	g := Graph{}
	err := WalkSource(root, func(path string) error {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := Module
		if dir := filepath.ToSlash(filepath.Dir(path)); dir != "." {
			pkg += "/" + dir
		}
		g[pkg] = append(g[pkg], nil...)
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			g[pkg] = append(g[pkg], name)
		}
		return nil
	})
	for pkg := range g {
		sort.Strings(g[pkg])
	}
	return g, err
}

// WalkSource calls visit with the slash path, relative to root, of every file that belongs to the repository: not those
// in directories starting with a dot (the demo's state, the version control).
func WalkSource(root string, visit func(path string) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(rel))
	})
}
