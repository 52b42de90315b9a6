package deptest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func pkg(name string) string { return Module + "/" + name }

// The graph has one broken arrow, two packages away: caddymodule -> admission -> core/pg.
var graph = Graph{
	pkg("caddymodule"):     {pkg("admission"), "github.com/caddyserver/caddy/v2"},
	pkg("admission"):       {pkg("core/pg"), "time"},
	pkg("core/pg"):         {"github.com/jackc/pgx/v5"},
	pkg("core/hold"):       {pkg("core/money"), pkg("core/hold/plan")},
	pkg("core/hold/plan"):  {pkg("core/order")},
	pkg("core/order"):      {"time"},
	pkg("core/money"):      nil,
	pkg("core/orderforms"): nil,
}

func TestBrokenShowsTheWholeWay(t *testing.T) {
	r := Rule{From: "caddymodule/...", Never: []string{"core/...", "github.com/jackc/pgx/..."}}
	got, matched := r.broken(graph)
	want := [][]string{{"caddymodule", "admission", "core/pg"}}
	if diff := cmp.Diff(want, got); diff != "" || !matched {
		t.Errorf("matched %v, ways (-want +got):\n%s", matched, diff)
	}
}

func TestSiblingsFollowChildrenButDoNotForbidThem(t *testing.T) {
	r := Rule{From: "core/hold", Never: []string{"core/..."}, But: []string{"core/money"}}
	got, _ := r.broken(graph)
	want := [][]string{{"core/hold", "core/hold/plan", "core/order"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ways (-want +got):\n%s", diff)
	}
}

func TestRuleWithoutPackagesIsNoticed(t *testing.T) {
	if _, matched := (Rule{From: "core/refund"}).broken(graph); matched {
		t.Error("a rule for a package that does not exist must not count as matched")
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, pkg string
		want         bool
	}{
		{"core/order", pkg("core/order"), true},
		{"core/order", pkg("core/orderforms"), false},
		{"core/order/...", pkg("core/order"), true},
		{"core/order/...", pkg("core/orderforms"), false},
		{"github.com/redis/...", "github.com/redis/go-redis/v9", true},
		{"github.com/redis/...", "github.com/rediscovery/x", false},
	} {
		if got := match(c.pattern, c.pkg); got != c.want {
			t.Errorf("match(%q, %q) = %v", c.pattern, c.pkg, got)
		}
	}
}

func TestReadSeesThisRepository(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	if !matchAny([]string{"deploy/debian"}, pkg("deploy/debian")) || len(g[pkg("deploy/need")]) == 0 {
		t.Errorf("imports of deploy/need = %v, want some", g[pkg("deploy/need")])
	}
}
