package caddymodule_test

import (
	"testing"

	"github.com/ropeline/ropeline/deploy/deptest"
)

func TestArrows(t *testing.T) {
	deptest.Check(t,
		deptest.Rule{
			From: "caddymodule/...", Never: []string{"core/...", "seatmap/...", "migrations/..."},
			Why: "the edge stands in front of any origin, so it can know nothing of ours",
		},
		deptest.Rule{
			From: "caddymodule/...", Never: []string{"github.com/jackc/..."},
			Why: "the line lives in Redis or in the process; an edge that needs PostgreSQL could not protect a stranger's origin",
		},
		deptest.Rule{
			From: "caddymodule/...", Never: []string{"deploy/...", "loadtest/..."},
			Why: "tools start the programs, programs do not carry tools",
		},
	)
}
