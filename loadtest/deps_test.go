package loadtest_test

import (
	"testing"

	"github.com/ropeline/ropeline/deploy/deptest"
)

const judges = "what judges the programs shares no code with them: a shared mistake would agree with itself"

func TestArrows(t *testing.T) {
	deptest.Check(t, deptest.Rule{
		From: "loadtest/...", Never: []string{"admission/...", "caddymodule/...", "core/...", "seatmap/...", "migrations/...", "deploy/..."},
		// The tools that plan and look back at an event read the controller's log and play the controller itself.
		But: []string{"admission/pace/...", "admission/telemetry"},
		Why: judges,
	})
	for _, part := range []string{"loadtest", "loadtest/history", "loadtest/buyer", "loadtest/record", "loadtest/check", "loadtest/linefile", "loadtest/ladder"} {
		deptest.Check(t, deptest.Rule{From: part, Never: []string{"admission/..."}, Why: judges})
	}
}
