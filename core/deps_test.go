package core_test

import (
	"testing"

	"github.com/ropeline/ropeline/deploy/deptest"
)

// leaves may be imported by every package of the core: they know of none.
var leaves = []string{"core/gauge", "core/keyfile", "core/locale", "core/money", "core/pg", "core/problem"}

func TestArrows(t *testing.T) {
	deptest.Check(t,
		deptest.Rule{
			From: "core/...", Never: []string{"caddymodule/...", "github.com/caddyserver/..."},
			Why: "the core is one possible origin; it runs behind any proxy",
		},
		deptest.Rule{
			From: "core/...", Never: []string{"admission/line/...", "github.com/redis/...", "github.com/alicebob/..."},
			Why: "PostgreSQL is the only authority over seats and money; of the line the core sees a signed pass",
		},
		deptest.Rule{
			From: "core/booking", Never: []string{"core/api/...", "core/web/...", "core/cmd/...", "admission/..."},
			Why: "the spine decides; who asked, and over which protocol, is the API's affair",
		},
		deptest.Rule{
			From: "core/...", Never: []string{"deploy/...", "loadtest/..."}, Why: "tools start the programs, programs do not carry tools",
		},
	)
	for _, leaf := range leaves {
		deptest.Check(t, deptest.Rule{
			From: leaf, Never: []string{"core/..."}, But: leaves,
			Why: "everybody imports it, so it imports nobody",
		})
	}
}

// TestSiblings keeps the parts of a sale apart: what joins hold, order, payment and ledger is a transaction, and only
// core/booking opens one.
func TestSiblings(t *testing.T) {
	for _, sibling := range []string{"event", "hold", "order", "payment", "refund", "ledger", "outbox", "ticket"} {
		deptest.Check(t, deptest.Rule{
			From: "core/" + sibling, Never: []string{"core/..."}, But: append([]string{"core/" + sibling + "/..."}, leaves...),
			Why: "siblings never import each other: the rules of one part are read, and changed, without the others",
		})
	}
}
