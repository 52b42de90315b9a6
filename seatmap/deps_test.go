package seatmap_test

import (
	"testing"

	"github.com/ropeline/ropeline/deploy/deptest"
)

func TestArrows(t *testing.T) {
	deptest.Check(t, deptest.Rule{
		From: "seatmap/...", Never: []string{"admission/...", "caddymodule/...", "core/...", "deploy/...", "loadtest/...", "github.com/jackc/...", "github.com/redis/..."},
		Why: "what a seat map is on the wire is the same for whoever writes, caches or reads it",
	})
}
