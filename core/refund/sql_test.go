package refund

import (
	"testing"

	"github.com/ropeline/ropeline/core/pgtest"
)

func TestStatementsFitTheSchema(t *testing.T) { pgtest.Prepare(t, statements) }
