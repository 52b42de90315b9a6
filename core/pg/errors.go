package pg

import (
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ropeline/ropeline/core/problem"
)

// Code is the SQLSTATE of err, "" if the server did not say it.
func Code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// IsRetryable: class 40, the transaction was rolled back and may be run again.
func IsRetryable(err error) bool { return strings.HasPrefix(Code(err), "40") }

// IsLockTimeout: a lock was not got in time, or the statement took too long.
func IsLockTimeout(err error) bool { c := Code(err); return c == "55P03" || c == "57014" }

// IsNotText: a string that PostgreSQL cannot store, with a NUL or not UTF-8.
func IsNotText(err error) bool { c := Code(err); return c == "22021" || c == "22P05" }

// IsConstraint: class 23, the rows were refused by a constraint.
func IsConstraint(err error) bool { return strings.HasPrefix(Code(err), "23") }

// Constraint is the name of the constraint that refused, "" if none did.
func Constraint(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) && strings.HasPrefix(e.Code, "23") {
		return e.ConstraintName
	}
	return ""
}

// IsConnection: the server could not be asked, or went away before COMMIT.
func IsConnection(err error) bool {
	if c := Code(err); c != "" {
		// 08: connection exceptions; 57P0x: shutdown, crash, cannot connect now; 53: no resources.
		return strings.HasPrefix(c, "08") || strings.HasPrefix(c, "57P") || strings.HasPrefix(c, "53")
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) ||
		errors.Is(err, pgconn.ErrConnClosed) || // found closed while an answer was awaited: not "safe to retry"
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		pgconn.SafeToRetry(err)
}

// isDefinite: an error from COMMIT after which nothing was committed for sure.
// A server that says why it refused (a deferred constraint, a serialization
// failure) has rolled back; a shutdown or a lost connection says nothing.
func isDefinite(err error) bool {
	if errors.Is(err, pgx.ErrTxCommitRollback) || errors.Is(err, pgx.ErrTxClosed) {
		return true
	}
	return strings.HasPrefix(Code(err), "23") || strings.HasPrefix(Code(err), "40")
}

// Refusals maps constraint names to what a caller is told. A constraint is the
// last line of defence: the rules refuse before it does, with better words.
type Refusals map[string]*problem.Error

// Map translates a class 23 error whose constraint has a refusal. Everything else
// comes back as it is.
func (r Refusals) Map(err error) error {
	if p, ok := r[Constraint(err)]; ok {
		return p.Because(err)
	}
	return err
}
