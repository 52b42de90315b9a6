package api

import (
	"testing"

	"github.com/ropeline/ropeline/core/pgtest"
)

func TestStatementsFitTheSchema(t *testing.T) {
	pgtest.Prepare(t, map[string]string{"account id": sqlAccountID, "insert account": sqlInsertAccount, "pass session": sqlPassSession,
		"claim session": sqlClaimSession, "take over": sqlTakeOver, "contest": sqlContest, "forget sessions": sqlForgetSessions})
}
