package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

const (
	// sessionMemory is how long a process goes without asking whose a visitor is.
	sessionMemory = 5 * time.Second
	// sessionWait bounds the wait for that answer.
	sessionWait = 2 * time.Second
	// contestedFor is how long the first is told that somebody else has come with the same pass.
	contestedFor = 15 * time.Minute

	// contestedHeader tells it, on the answers to buying calls.
	contestedHeader = "Session-Contested"
)

var errTakenOver = problem.New(http.StatusConflict, "session_taken_over", "This place in line is in use by another sign-in. Nothing was changed.")

// passSession is who buys with a visitor's pass: an account, by one sign-in.
type passSession struct {
	account   int64
	signIn    time.Time
	token     []byte
	ends      time.Time
	contested time.Time // zero: nobody else has come
}

// later says whether sign-in b took over from a. Two of the same second are ordered by their tokens, so that every
// process says the same.
func (a passSession) later(b passSession) bool {
	if !a.signIn.Equal(b.signIn) {
		return b.signIn.After(a.signIn)
	}
	return bytes.Compare(b.token, a.token) > 0
}

// passSessions holds a visitor to the first account that buys with it, and to that account's last sign-in. A copied
// pass is thereby no use to anybody else, also where the edge does not bind passes to their visitors.
type passSessions struct {
	db   *pg.DB
	now  func() time.Time
	mu   sync.Mutex
	seen map[string]seenSession
}

type seenSession struct {
	passSession
	until time.Time
}

func newPassSessions(db *pg.DB, now func() time.Time) *passSessions {
	return &passSessions{db: db, now: now, seen: map[string]seenSession{}}
}

// claim lets the caller buy with the visitor of the pass, or refuses it as errTakenOver. contested is when another
// account last tried.
func (s *passSessions) claim(ctx context.Context, p admission.Pass, account int64, token string, signIn time.Time) (contested time.Time, err error) {
	visitor, sum := string(p.VID), sha256.Sum256([]byte(token))
	me := passSession{account: account, signIn: signIn, token: sum[:16], ends: p.Hard}
	s.mu.Lock()
	hit, ok := s.seen[visitor]
	s.mu.Unlock()
	if ok && s.now().Before(hit.until) && hit.account == me.account && bytes.Equal(hit.token, me.token) && !hit.ends.Before(me.ends) {
		return hit.contested, nil
	}
	is, err := s.is(ctx, visitor, me)
	if err == nil && (is.account != me.account || !bytes.Equal(is.token, me.token)) {
		err = errTakenOver
	}
	if err != nil {
		if !errors.Is(err, errTakenOver) {
			err = fmt.Errorf("session of a pass: %w", err)
		}
		return time.Time{}, err
	}
	if is.contested.Add(contestedFor).Before(s.now()) {
		is.contested = time.Time{}
	}
	s.mu.Lock()
	remember(s.seen, visitor, seenSession{is, s.now().Add(sessionMemory)})
	s.mu.Unlock()
	return is.contested, nil
}

// is says whose the visitor is now. Who is known already, which is nearly everybody who asks, takes no transaction.
func (s *passSessions) is(ctx context.Context, visitor string, me passSession) (is passSession, err error) {
	short, cancel := context.WithTimeout(ctx, sessionWait)
	is, err = readSession(s.db.Pool.QueryRow(short, sqlPassSession, visitor))
	cancel()
	if err == nil && is.account == me.account && bytes.Equal(is.token, me.token) && !is.ends.Before(me.ends) {
		return is, nil
	}
	decide := claimSession // also where the database is away: a transaction says so in the right words
	if errors.Is(err, pgx.ErrNoRows) {
		decide = firstSession
	}
	err = s.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		is, err = decide(ctx, tx, visitor, me)
		return err
	})
	return is, err
}

// firstSession writes one, and waits for no disk: what a crash forgets is claimed again by whoever comes next. Whoever
// was quicker keeps it.
func firstSession(ctx context.Context, tx pgx.Tx, visitor string, me passSession) (is passSession, err error) {
	var b pgx.Batch
	b.Queue(sqlRelaxed)
	b.Queue(sqlForgetSessions)
	b.Queue(sqlClaimSession, visitor, me.account, me.signIn, me.token, me.ends).QueryRow(func(row pgx.Row) (err error) {
		is, err = readSession(row)
		return err
	})
	err = tx.SendBatch(ctx, &b).Close()
	return is, err
}

// claimSession decides between the session that is there and the caller.
func claimSession(ctx context.Context, tx pgx.Tx, visitor string, me passSession) (passSession, error) {
	is, err := readSession(tx.QueryRow(ctx, sqlPassSession, visitor))
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return firstSession(ctx, tx, visitor, me)
	case err == nil && is.account != me.account:
		_, err = tx.Exec(ctx, sqlContest, visitor)
	case err == nil && (is.later(me) || bytes.Equal(is.token, me.token) && is.ends.Before(me.ends)):
		is, err = readSession(tx.QueryRow(ctx, sqlTakeOver, visitor, me.signIn, me.token, me.ends, me.account))
	}
	return is, err
}

func readSession(row pgx.Row) (is passSession, err error) {
	var contested *time.Time
	err = row.Scan(&is.account, &is.signIn, &is.token, &is.ends, &contested)
	if contested != nil {
		is.contested = *contested
	}
	return is, err
}

// checkSession holds a buying call to its visitor's session and tells the first of another that came.
func (a *API) checkSession(w http.ResponseWriter, r *http.Request, c *call, token string) error {
	if a.passes == nil {
		return nil
	}
	who, err := a.accounts.known(token)
	if err != nil {
		return err
	}
	contested, err := a.sessions.claim(r.Context(), c.pass, c.account, token, who.Expires)
	if err == nil && !contested.IsZero() {
		w.Header().Set(contestedHeader, contested.UTC().Format(http.TimeFormat))
	}
	return err
}
