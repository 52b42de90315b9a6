package debian

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

// Part is something the project needs from the system: a name for people, the program that proves it is there, and the
// Debian package that brings it.
type Part struct {
	Name      string   // as written on the command line of deploy/need
	Program   string   // looked up in PATH and in Dirs
	Dirs      []string // globs beside PATH; Debian keeps PostgreSQL's server out of PATH
	Package   string   // Debian's name
	Elsewhere string   // what to look for on other systems
}

// Parts lists every part, by name.
var Parts = []Part{
	{Name: "postgresql", Program: "initdb", Dirs: []string{"/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql*/bin"}, Package: "postgresql", Elsewhere: "PostgreSQL 15 or newer"},
	{Name: "redis", Program: "redis-server", Package: "redis-server", Elsewhere: "Redis 7"},
	{Name: "chromium", Program: "chromium", Package: "chromium", Elsewhere: "Chromium"},
	{Name: "varnish", Program: "varnishd", Dirs: []string{"/usr/sbin"}, Package: "varnish", Elsewhere: "Varnish 7"},
	{Name: "nginx", Program: "nginx", Dirs: []string{"/usr/sbin"}, Package: "nginx-light", Elsewhere: "nginx"},
	{Name: "faketime", Program: "faketime", Package: "faketime", Elsewhere: "libfaketime"},
	{Name: "python3", Program: "python3", Package: "python3", Elsewhere: "Python 3"},
}

// ByName returns the named parts, or an error that lists the known names.
func ByName(names ...string) ([]Part, error) {
	var out []Part
	for _, name := range names {
		i := indexOf(name)
		if i < 0 {
			return nil, fmt.Errorf("unknown part %q: known are %s", name, known())
		}
		out = append(out, Parts[i])
	}
	return out, nil
}

func indexOf(name string) int {
	for i, p := range Parts {
		if p.Name == name {
			return i
		}
	}
	return -1
}

func known() string {
	var names []string
	for _, p := range Parts {
		names = append(names, p.Name)
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

// Find returns the path of the part's program, or "" when it is not installed. Of several versions the newest wins.
func (p Part) Find() string {
	for _, glob := range p.Dirs {
		found, _ := filepath.Glob(filepath.Join(glob, p.Program))
		sort.Sort(sort.Reverse(byVersion(found)))
		for _, f := range found {
			if st, err := os.Stat(f); err == nil && !st.IsDir() && st.Mode()&0o111 != 0 {
				return f
			}
		}
	}
	if path, err := exec.LookPath(p.Program); err == nil {
		return path
	}
	return ""
}

// Missing returns the parts whose program cannot be found.
func Missing(parts []Part) []Part {
	var out []Part
	for _, p := range parts {
		if p.Find() == "" {
			out = append(out, p)
		}
	}
	return out
}

// byVersion sorts paths so that .../15/bin comes before .../16/bin and 9 before 10: shorter first, then by text.
type byVersion []string

func (v byVersion) Len() int      { return len(v) }
func (v byVersion) Swap(i, j int) { v[i], v[j] = v[j], v[i] }
func (v byVersion) Less(i, j int) bool {
	if len(v[i]) != len(v[j]) {
		return len(v[i]) < len(v[j])
	}
	return v[i] < v[j]
}
