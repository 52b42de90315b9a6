package loadtest_test

import (
	"testing"

	"github.com/ropeline/ropeline/deploy/deptest"
)

func TestArrows(t *testing.T) {
	deptest.Check(t, deptest.Rule{
		From: "loadtest/...", Never: []string{"admission/...", "caddymodule/...", "core/...", "seatmap/...", "migrations/...", "deploy/..."},
		Why: "what judges the programs shares no code with them: a shared mistake would agree with itself",
	})
}
