package lead

import (
	"strings"
	"testing"
)

// A full room goes on when one leaves; one with more inside than its lowered cap allows, when all those too many have left.
func TestFullSentence(t *testing.T) {
	if s := fullSentence(50, 50, 2); !strings.HasPrefix(s, "50 people are inside, which is the most allowed, so one goes in as one leaves;") {
		t.Error(s)
	}
	if s := fullSentence(125, 3, 2); !strings.HasPrefix(s, "125 people are inside and the most allowed is 3: 122 must leave first, then one goes in as one leaves;") {
		t.Error(s)
	}
}
