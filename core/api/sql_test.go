package api

import (
	"testing"

	"github.com/ropeline/ropeline/core/pgtest"
)

func TestStatementsFitTheSchema(t *testing.T) {
	pgtest.Prepare(t, map[string]string{"account id": sqlAccountID, "insert account": sqlInsertAccount})
}
