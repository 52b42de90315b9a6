package hold

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/problem"
)

const (
	// CodeTries is how often an account, or a network, may try a code in CodeWindow.
	// What succeeds does not count.
	CodeTries  = 5
	CodeWindow = time.Minute
)

// What redeeming a code can be refused for.
var (
	// ErrInvalidCode is one answer for a code that never was, is another event's, is used
	// up or has ended: the differences are worth something to who guesses.
	ErrInvalidCode = problem.New(http.StatusUnprocessableEntity, "invalid_code", "This code is not valid for this event, or not any more.")
	ErrManyCodes   = &problem.Error{Status: http.StatusTooManyRequests, Code: "too_many_codes", RetryAfter: CodeWindow,
		Detail: "Too many codes were tried. Please wait a minute."}
)

// Presale is a window before the sale to everybody.
type Presale struct {
	Name     string
	StartsAt time.Time
	EndsAt   *time.Time // nil: until the event is on sale to everybody
}

// CountTry counts a try of a code for each subject (an account, a network), across all
// processes, and refuses who had CodeTries in the last CodeWindow.
func CountTry(ctx context.Context, tx pgx.Tx, subjects ...string) error {
	for _, s := range slices.Sorted(slices.Values(subjects)) {
		tag, err := tx.Exec(ctx, sqlCountTry, s, CodeTries, CodeWindow)
		if err != nil {
			return fmt.Errorf("count a try: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return ErrManyCodes
		}
	}
	return nil
}

// ForgiveTry takes a try back that was none: its code was good.
func ForgiveTry(ctx context.Context, tx pgx.Tx, subjects ...string) error {
	if _, err := tx.Exec(ctx, sqlForgiveTry, slices.Sorted(slices.Values(subjects))); err != nil {
		return fmt.Errorf("forgive a try: %w", err)
	}
	return nil
}

// ForgetTries drops what no longer counts.
func ForgetTries(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, sqlForgetTries); err != nil {
		return fmt.Errorf("forget tries: %w", err)
	}
	return nil
}

// Redeem uses a code up once and opens its presale to the account. An account that is
// in already uses nothing. It waits only for others who redeem the same code; holds
// read what is granted without a lock, and wait for nobody.
func Redeem(ctx context.Context, tx pgx.Tx, event, account int64, code string) (p Presale, err error) {
	hash := CodeHash(code)
	var id int16
	err = tx.QueryRow(ctx, sqlCode, event, hash).Scan(&id, &p.Name, &p.StartsAt, &p.EndsAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, ErrInvalidCode
	}
	if err != nil {
		return p, fmt.Errorf("find code: %w", err)
	}
	tag, err := tx.Exec(ctx, sqlGrant, event, account, id, hash)
	if err != nil {
		return p, fmt.Errorf("grant presale: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return p, nil // in already
	}
	if tag, err = tx.Exec(ctx, sqlUseCode, event, hash); err != nil {
		return p, fmt.Errorf("use code: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return p, ErrInvalidCode // and the grant is rolled back
	}
	return p, nil
}

// MintCodes makes n codes for a presale, each good for so many accounts, and returns
// them. They are not kept: whoever loses them makes others.
func MintCodes(ctx context.Context, tx pgx.Tx, event int64, presale string, n, uses int) ([]string, error) {
	var id int16
	err := tx.QueryRow(ctx, sqlPresaleByName, event, presale).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, problem.NotFound.Say("This event has no presale %q.", presale)
	}
	if err != nil {
		return nil, fmt.Errorf("find presale: %w", err)
	}
	codes, hashes := make([]string, n), make([][]byte, n)
	for i := range codes {
		codes[i] = NewCode()
		hashes[i] = CodeHash(codes[i])
	}
	if _, err := tx.Exec(ctx, sqlAddCodes, event, id, uses, hashes); err != nil {
		return nil, fmt.Errorf("add codes: %w", err)
	}
	return codes, nil
}
