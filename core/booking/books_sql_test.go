package booking

import (
	"maps"
	"testing"

	"github.com/ropeline/ropeline/core/pgtest"
)

func TestBookStatementsFitTheSchema(t *testing.T) {
	all := maps.Clone(breakStatements)
	maps.Copy(all, refundStatements)
	maps.Copy(all, cancellationStatements)
	for _, p := range promises {
		all[p.id+" "+p.rule] = p.sql
	}
	pgtest.Prepare(t, all)
}
