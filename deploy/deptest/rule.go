package deptest

import (
	"sort"
	"strings"
	"testing"
)

// Rule forbids a way through the imports. Patterns are as the go command's: "core/..." is core and everything below it.
// Without a dot in the first element they are of this module; with one ("github.com/...") they are of another.
type Rule struct {
	From  string   // packages of this module the rule speaks of
	Never []string // patterns none of them may reach, directly or through others
	But   []string // exceptions to Never
	Why   string   // the reason, printed with each violation
}

// Check fails the test once for each broken arrow, with the way and the reason. A rule that speaks of no package fails
// too: it would hold for ever, whatever happens.
func Check(t *testing.T, rules ...Rule) {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		broken, matched := r.broken(g)
		for _, way := range broken {
			t.Errorf("%s\n\tmust not be: %s", strings.Join(way, "\n\t  imports "), r.Why)
		}
		if !matched {
			t.Errorf("the rule for %s speaks of no package", r.From)
		}
	}
}

// broken returns, for every package the rule speaks of, the shortest way to each forbidden package.
func (r Rule) broken(g Graph) (ways [][]string, matched bool) {
	var from []string
	for pkg := range g {
		if match(r.From, pkg) {
			from = append(from, pkg)
		}
	}
	sort.Strings(from)
	for _, pkg := range from {
		ways = append(ways, r.search(g, pkg)...)
	}
	return ways, len(from) > 0
}

// search walks breadth first and stops at the first forbidden package of each way: what lies behind it is its affair.
func (r Rule) search(g Graph, start string) (ways [][]string) {
	cameFrom := map[string]string{start: ""}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at != start && r.forbids(start, at) {
			ways = append(ways, wayTo(cameFrom, at))
			continue
		}
		for _, next := range g[at] {
			if _, seen := cameFrom[next]; !seen {
				cameFrom[next] = at
				queue = append(queue, next)
			}
		}
	}
	return ways
}

// forbids leaves out packages below the start itself: "siblings never import each other" does not speak of children.
func (r Rule) forbids(start, pkg string) bool {
	if strings.HasPrefix(pkg, start+"/") || strings.HasPrefix(start, pkg+"/") {
		return false
	}
	return matchAny(r.Never, pkg) && !matchAny(r.But, pkg)
}

func wayTo(cameFrom map[string]string, pkg string) (way []string) {
	for ; pkg != ""; pkg = cameFrom[pkg] {
		way = append([]string{strings.TrimPrefix(pkg, Module+"/")}, way...)
	}
	return way
}

func matchAny(patterns []string, pkg string) bool {
	for _, p := range patterns {
		if match(p, pkg) {
			return true
		}
	}
	return false
}

func match(pattern, pkg string) bool {
	first, _, _ := strings.Cut(pattern, "/")
	if !strings.Contains(first, ".") {
		pattern = Module + "/" + pattern
	}
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == base || strings.HasPrefix(pkg, base+"/")
	}
	return pkg == pattern
}
