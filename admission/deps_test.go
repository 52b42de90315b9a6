package admission_test

import (
	"testing"

	"github.com/ropeline/ropeline/deploy/deptest"
)

func TestArrows(t *testing.T) {
	deptest.Check(t,
		deptest.Rule{
			From: "admission/...", Never: []string{"caddymodule/...", "github.com/caddyserver/..."},
			Why: "the line is a library; only caddymodule knows that Caddy is its host",
		},
		deptest.Rule{
			From: "admission/...", Never: []string{"core/...", "seatmap/...", "migrations/...", "github.com/jackc/..."},
			Why: "the line decides without any origin's database, so that it can stand in front of all of them",
		},
		deptest.Rule{
			From: "admission", Never: []string{"github.com/redis/...", "github.com/alicebob/..."},
			Why: "an origin verifies passes with this package and must not get a store's client with it",
		},
		deptest.Rule{
			From: "admission/...", Never: []string{"deploy/...", "loadtest/..."},
			Why: "tools start the programs, programs do not carry tools",
		},
	)
}
