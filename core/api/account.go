package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/api/issuer"
	"github.com/ropeline/ropeline/core/pg"
)

// accountCookie carries the account's token for browsers. HttpOnly and Lax.
const accountCookie = "ropeline_account"

// maxKnown bounds each of the two memories below: about 10 MB when full.
const maxKnown = 65_536

// accounts finds out who is calling. A verified token is remembered by its hash
// (the signature costs 60 us, and a buyer polls), its end is checked every time;
// so is the number of an account, which never changes.
type accounts struct {
	verify func(token string) (issuer.Account, error)
	db     *pg.DB
	now    func() time.Time
	mu     sync.Mutex
	tokens map[[32]byte]issuer.Account
	ids    map[string]int64
}

func newAccounts(verify func(string) (issuer.Account, error), db *pg.DB, now func() time.Time) *accounts {
	return &accounts{verify: verify, db: db, now: now, tokens: map[[32]byte]issuer.Account{}, ids: map[string]int64{}}
}

// credential is the token of the request and whether it came as a cookie. A
// bearer token wins: it was put there on purpose, the browser adds a cookie by itself.
func credential(r *http.Request) (token string, cookie bool) {
	if h := r.Header.Get("Authorization"); h != "" {
		scheme, token, _ := strings.Cut(h, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return "", false
		}
		return strings.TrimSpace(token), false
	}
	if c, err := r.Cookie(accountCookie); err == nil && c.Value != "" {
		return c.Value, true
	}
	return "", false
}

// caller returns the number of the account. With create an account that is not
// there yet is made; without, it is 0, which owns nothing: a GET changes nothing.
func (s *accounts) caller(ctx context.Context, token string, create bool) (int64, error) {
	a, err := s.known(token)
	switch {
	case err != nil:
		return 0, err
	case a.Role != issuer.Buyer:
		return 0, errWrongRole.Say("This call is a buyer's; a token of staff does not buy.")
	}
	return s.id(ctx, a, create)
}

// staff returns who of the staff is calling.
func (s *accounts) staff(token string) (issuer.Account, error) {
	a, err := s.known(token)
	if err == nil && a.Role != issuer.Staff {
		err = errWrongRole.Say("This call needs a token of staff.")
	}
	return a, err
}

// known verifies a token, or remembers that it did.
func (s *accounts) known(token string) (issuer.Account, error) {
	if token == "" {
		return issuer.Account{}, errUnauthentic
	}
	hash := sha256.Sum256([]byte(token))
	s.mu.Lock()
	a, known := s.tokens[hash]
	s.mu.Unlock()
	if !known {
		var err error
		if a, err = s.verify(token); err != nil {
			return issuer.Account{}, errUnauthentic.Say("The sign-in is not valid; please sign in again.").Because(err)
		}
		s.mu.Lock()
		remember(s.tokens, hash, a)
		s.mu.Unlock()
	}
	if !s.now().Before(a.Expires) {
		return issuer.Account{}, errUnauthentic.Say("The sign-in has ended; please sign in again.")
	}
	return a, nil
}

func (s *accounts) id(ctx context.Context, a issuer.Account, create bool) (int64, error) {
	s.mu.Lock()
	id := s.ids[a.Subject]
	s.mu.Unlock()
	if id != 0 {
		return id, nil
	}
	id, err := s.find(ctx, a.Subject)
	if err == nil && id == 0 && create {
		err = s.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, sqlInsertAccount, a.Subject, a.Email)
			return err
		})
		if err == nil {
			id, err = s.find(ctx, a.Subject)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("account: %w", err)
	}
	if id != 0 {
		s.mu.Lock()
		remember(s.ids, a.Subject, id)
		s.mu.Unlock()
	}
	return id, nil
}

func (s *accounts) find(ctx context.Context, subject string) (id int64, err error) {
	err = s.db.Pool.QueryRow(ctx, sqlAccountID, subject).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// remember drops everything when it is full: filling it again costs a signature
// each, and a clever eviction would cost more code than that.
func remember[K comparable, V any](m map[K]V, k K, v V) {
	if len(m) >= maxKnown {
		clear(m)
	}
	m[k] = v
}
