package booking

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// BreakClass names a kind of difference between the provider, the books and the places.
type BreakClass string

// The classes.
const (
	BreakMissingHere   BreakClass = "missing_here"   // money at the provider that is unknown here
	BreakMissingThere  BreakClass = "missing_there"  // money here that the provider's report does not have
	BreakAmount        BreakClass = "amount"         // the same movement with another amount
	BreakCurrency      BreakClass = "currency"       // the same movement in another currency
	BreakFee           BreakClass = "fee"            // the provider kept another fee than the contract's
	BreakDuplicate     BreakClass = "duplicate"      // a row of the report that is there twice
	BreakTiming        BreakClass = "timing"         // not in the report yet, and not due
	BreakDispute       BreakClass = "dispute"        // money in an open dispute
	BreakMismatch      BreakClass = "mismatch"       // a payment of a wrong amount or currency came and went back
	BreakRefundUnknown BreakClass = "refund_unknown" // money was returned that nobody here asked to return
	BreakRefundFailing BreakClass = "refund_failing" // a refund does not go through
	BreakSeats         BreakClass = "seats"          // places and money do not agree
	BreakUnreadable    BreakClass = "unreadable"     // a row of the report that cannot be read
)

// breakRules says whose work a class is, and whether new payments are unsafe while one
// is open: they are when money is at the provider that nobody here knows, or when
// amounts are wrong. Never for a dispute, a fee or a delay: those are the normal trouble
// of a shop that goes on selling.
var breakRules = map[BreakClass]struct {
	owner string
	stops bool
}{
	BreakMissingHere: {"payments", true}, BreakMissingThere: {"payments", false}, BreakAmount: {"payments", true}, BreakCurrency: {"payments", true},
	BreakFee: {"finance", false}, BreakDuplicate: {"payments", false}, BreakTiming: {"nobody", false}, BreakDispute: {"disputes", false},
	BreakMismatch: {"payments", false}, BreakRefundUnknown: {"finance", false}, BreakRefundFailing: {"finance", false}, BreakSeats: {"engineering", false},
	BreakUnreadable: {"engineering", false},
}

// Break is one difference.
type Break struct {
	ID       int64
	Class    BreakClass
	Provider string
	Subject  string // what it is about: with class and provider its name while it is open
	EventID  int64  // 0: of none
	Here     *int64 // minor units; nil: nothing is there
	There    *int64
	Currency string
	Detail   string
	State    string // open, cured, closed
	Owner    string
	Stops    bool
	FoundAt  time.Time
}

func (b Break) String() string {
	return fmt.Sprintf("%s %s: %s (owner: %s)", b.Class, b.Subject, b.Detail, b.Owner)
}

// recordBreaks writes differences down; one that is open already stays the same one, and
// one that a person has closed as it is stays closed.
func recordBreaks(ctx context.Context, tx pgx.Tx, list ...Break) error {
	for _, b := range list {
		rule := breakRules[b.Class]
		b.Subject = clip(b.Subject, maxSubject)
		if _, err := tx.Exec(ctx, sqlRecordBreak, b.Class, b.Provider, b.Subject, zeroIsNull(b.EventID), b.Here, b.There, b.Currency,
			text(b.Detail), rule.owner, rule.stops || b.Stops); err != nil {
			return fmt.Errorf("record break %s of %s: %w", b.Class, b.Subject, err)
		}
	}
	return nil
}

// maxSubject bounds what an index has to hold: an unreadable row of a report is as long
// as whoever made it likes.
const maxSubject = 300

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// endBreaks ends open differences of one subject.
func endBreaks(ctx context.Context, tx pgx.Tx, class BreakClass, subject, state, by, why string) error {
	if _, err := tx.Exec(ctx, sqlEndBreak, class, subject, state, by, text(why)); err != nil {
		return fmt.Errorf("end break %s of %s: %w", class, subject, err)
	}
	return nil
}

// writeBreaks writes what the dossier's decisions found, and ends what they settled.
func (d *dossier) writeBreaks(ctx context.Context, tx pgx.Tx) error {
	for _, n := range d.notes {
		class, found := strings.CutPrefix(n.what, "break:")
		a := d.attempt(n.attempt)
		if !found || a == nil {
			continue
		}
		here, there := a.Amount, a.Facts.Captured
		if class == string(BreakRefundUnknown) {
			here, there = d.askedBack(a), a.Facts.Refunded
		}
		b := Break{Class: BreakClass(class), Provider: a.Provider, Subject: Ref{d.ev.ID, a.ID}.String(), EventID: d.ev.ID, Here: &here, There: &there,
			Currency: d.order.Currency, Detail: fmt.Sprintf("payment of order %s: %d here, %d at the provider", Ref{d.ev.ID, d.order.ID}, here, there)}
		if err := recordBreaks(ctx, tx, b); err != nil {
			return err
		}
	}
	for _, r := range d.refunds {
		if r.changed && r.Done {
			if err := endBreaks(ctx, tx, BreakRefundFailing, Ref{d.ev.ID, r.ID}.String(), "cured", "refund", "it went through"); err != nil {
				return err
			}
		}
	}
	return nil
}

// askedBack is what we asked the provider to return.
func (d *dossier) askedBack(a *attemptRow) (sum int64) {
	for _, r := range d.refunds {
		if r.Attempt == a.ID && r.Reason != reasonElsewhere {
			sum += r.Amount
		}
	}
	return sum
}

const reasonElsewhere = "elsewhere"

// Breaks lists differences, newest first: the open ones, or all.
func (e *Engine) Breaks(ctx context.Context, all bool) ([]Break, error) {
	return readBreaks(ctx, e.db.Pool, "", all)
}

// ErrNoBreak: there is no such open difference.
var ErrNoBreak = problem.New(http.StatusNotFound, "no_such_break", "There is no open break of this number.")

// CloseBreak is a person's word that a difference is explained. As it is it does not
// come back; with other amounts it is another one.
func (e *Engine) CloseBreak(ctx context.Context, id int64, by, why string) error {
	if why == "" || len(why) > maxWhy || !storable(why) {
		return ErrWhy
	}
	return e.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sqlCloseBreak, id, by, why)
		if err == nil && tag.RowsAffected() == 0 {
			err = ErrNoBreak
		}
		return err
	})
}

// readBreaks lists those of a provider, or ("") of all.
func readBreaks(ctx context.Context, q pg.Querier, provider string, all bool) ([]Break, error) {
	rows, err := q.Query(ctx, sqlBreaks, all, maxBreaks, provider)
	if err != nil {
		return nil, fmt.Errorf("list breaks: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (b Break, err error) {
		return b, row.Scan(&b.ID, &b.Class, &b.Provider, &b.Subject, &b.EventID, &b.Here, &b.There, &b.Currency, &b.Detail, &b.State, &b.Owner, &b.Stops, &b.FoundAt)
	})
	if err != nil {
		return nil, fmt.Errorf("list breaks: %w", err)
	}
	return list, nil
}

// maxBreaks bounds a list: whoever has more of them open has one cause to find first.
const maxBreaks = 1000

const (
	sqlRecordBreak = `
INSERT INTO money_break AS b (class, provider, subject, event_id, here, there, currency, detail, owner, stops)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
 WHERE NOT EXISTS (SELECT FROM money_break c WHERE c.class = $1 AND c.provider = $2 AND c.subject = $3 AND c.state = 'closed'
                      AND c.here IS NOT DISTINCT FROM $5 AND c.there IS NOT DISTINCT FROM $6)
ON CONFLICT (provider, class, subject) WHERE state = 'open'
DO UPDATE SET seen_at = now(), here = excluded.here, there = excluded.there, detail = excluded.detail`

	sqlEndBreak = `
UPDATE money_break SET state = $3, ended_at = now(), ended_by = $4, why = $5 WHERE class = $1 AND subject = $2 AND state = 'open'`

	sqlBreaks = `
SELECT id, class, provider, subject, coalesce(event_id, 0), here, there, currency, detail, state, owner, stops, found_at
  FROM money_break WHERE ($1 OR state = 'open') AND ($3 = '' OR provider = $3) ORDER BY id DESC LIMIT $2`

	sqlCloseBreak = `UPDATE money_break SET state = 'closed', ended_at = now(), ended_by = $2, why = $3 WHERE id = $1 AND state = 'open'`
)

var breakStatements = map[string]string{"record break": sqlRecordBreak, "end break": sqlEndBreak, "breaks": sqlBreaks, "close break": sqlCloseBreak,
	"switch": sqlSwitch, "switches": sqlSwitches, "throw switch": sqlThrowSwitch, "unsafe": sqlUnsafe,
	"recon lock": sqlReconLock, "recon unlock": sqlReconUnlock, "recon begin": sqlReconBegin, "recon end": sqlReconEnd, "recon due": sqlReconDue,
	"open subjects": sqlOpenSubjects, "break counts": sqlBreakCounts, "last run": sqlLastRun, "end old": sqlEndOld}
