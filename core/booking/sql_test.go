package booking

import (
	"maps"
	"testing"

	"github.com/ropeline/ropeline/core/pgtest"
)

func TestStatementsFitTheSchema(t *testing.T) {
	all := maps.Clone(statements)
	for _, inv := range invariants {
		all[inv.id+" "+inv.rule] = inv.sql
	}
	pgtest.Prepare(t, all)
}
