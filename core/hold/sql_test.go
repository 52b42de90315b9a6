package hold

import (
	"testing"

	"github.com/ropeline/ropeline/core/pgtest"
)

func TestStatementsFitTheSchema(t *testing.T) { pgtest.Prepare(t, statements) }

func TestStatementsOfLimitsFitTheSchema(t *testing.T) { pgtest.Prepare(t, limitStatements) }

func TestStatementsOfPresalesFitTheSchema(t *testing.T) { pgtest.Prepare(t, presaleStatements) }
