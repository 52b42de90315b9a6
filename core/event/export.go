package event

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/event/eventfile"
)

// exported is an event as an import file says it. Every field that a file may set
// is here: a change by patch is the export with some members replaced, and what
// were missing would fall back to its default. Which seats are blocked is not: a file
// that does not name them leaves them alone.
type exported struct {
	Slug          string             `json:"slug"`
	Venue         string             `json:"venue,omitempty"`
	Organiser     string             `json:"organiser"`
	Title         string             `json:"title"`
	Description   string             `json:"description,omitempty"`
	Place         string             `json:"place"`
	Route         *Route             `json:"route,omitempty"`
	StartsAt      string             `json:"starts_at"`
	TimeZone      string             `json:"time_zone"`
	Currency      string             `json:"currency"`
	State         string             `json:"state"`
	OnSaleAt      string             `json:"on_sale_at,omitempty"`
	OffSaleAt     string             `json:"off_sale_at,omitempty"`
	MaxPerAccount int                `json:"max_per_account"`
	HoldTTL       string             `json:"hold_ttl"`
	Extend        string             `json:"extend"`
	ExtendBy      string             `json:"extend_by"`
	HoldCap       string             `json:"hold_cap"`
	LatePolicy    string             `json:"late_policy"`
	FeeBP         int                `json:"fee_bp"`
	OrphanRule    bool               `json:"orphan_rule"`
	AccessUntil   string             `json:"access_until,omitempty"`
	HoldBudget    int                `json:"hold_budget"`
	MapLife       string             `json:"map_life"`
	Presales      []exportedPresale  `json:"presales,omitempty"`
	Refunds       *eventfile.Refunds `json:"refunds,omitempty"`
	Prices        []Level            `json:"prices"`
	Counters      []exportedCounter  `json:"counters,omitempty"`
}

type exportedCounter struct {
	Kind     string   `json:"kind"`
	Name     string   `json:"name"`
	Class    string   `json:"class"`
	Capacity int      `json:"capacity"`
	Overbook int      `json:"overbook"`
	Types    []string `json:"types,omitempty"`
	Seats    bool     `json:"seats,omitempty"`
}

type exportedPresale struct {
	Name     string `json:"name"`
	StartsAt string `json:"starts_at"`
	EndsAt   string `json:"ends_at,omitempty"`
}

// Export writes an event, drafts too, as an import file would; found is false if
// there is none. Imported again it changes nothing.
func Export(ctx context.Context, tx pgx.Tx, slug string) (doc json.RawMessage, found bool, err error) {
	im := importer{tx: tx}
	id, r, found, err := im.eventBySlug(ctx, slug)
	if err != nil || !found {
		return nil, found, err
	}
	zone, err := time.LoadLocation(r.timeZone)
	if err != nil {
		return nil, true, fmt.Errorf("time zone of event %s: %w", slug, err)
	}
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.In(zone).Format(time.RFC3339Nano)
	}
	x := exported{Slug: slug, Organiser: r.organiser, Title: r.title, Description: r.description, Place: r.place,
		StartsAt: at(r.startsAt), TimeZone: r.timeZone, Currency: r.currency, State: r.state, OnSaleAt: at(r.onSale), OffSaleAt: at(r.offSale),
		MaxPerAccount: r.maxPerAccount, HoldTTL: r.holdTTL.String(), Extend: r.extend, ExtendBy: r.extendBy.String(), HoldCap: r.holdCap.String(),
		LatePolicy: r.latePolicy, FeeBP: r.feeBP, OrphanRule: r.orphanRule, AccessUntil: at(r.accessUntil), HoldBudget: r.holdBudget, MapLife: r.mapLife.String()}
	if r.from != "" {
		x.Route = &Route{r.from, r.to}
	}
	if r.venue != 0 {
		if err := tx.QueryRow(ctx, sqlVenueSlug, r.venue).Scan(&x.Venue); err != nil {
			return nil, true, fmt.Errorf("venue of event %s: %w", slug, err)
		}
	}
	if x.Prices, err = collect[Level](ctx, tx, sqlPrices, id); err != nil {
		return nil, true, fmt.Errorf("prices of event %s: %w", slug, err)
	}
	if x.Counters, err = collect[exportedCounter](ctx, tx, sqlExportCounters, id); err != nil {
		return nil, true, fmt.Errorf("counters of event %s: %w", slug, err)
	}
	presales, err := presalesOf(ctx, tx, id)
	if err != nil {
		return nil, true, err
	}
	for _, p := range presales {
		x.Presales = append(x.Presales, exportedPresale{p.Name, at(p.StartsAt), at(orZero(p.EndsAt))})
	}
	if x.Refunds, err = refundsOf(ctx, tx, id); err != nil {
		return nil, true, err
	}
	doc, err = json.Marshal(x)
	return doc, true, err
}

// Patch changes members of an event: an RFC 7396 merge patch of its export. The
// lists of prices and counters are replaced as wholes.
func Patch(ctx context.Context, tx pgx.Tx, slug string, patch []byte) (changes []Change, found bool, err error) {
	if _, err := tx.Exec(ctx, sqlImportLock); err != nil {
		return nil, false, fmt.Errorf("wait for other imports: %w", err)
	}
	doc, found, err := Export(ctx, tx, slug)
	if err != nil || !found {
		return nil, found, err
	}
	if doc, err = eventfile.Merge(doc, patch); err != nil {
		return nil, true, err
	}
	file, err := eventfile.ParseEvent(doc, slug)
	if err == nil {
		changes, err = Import(ctx, tx, file)
	}
	var findings eventfile.Findings
	if errors.As(err, &findings) {
		err = findings.WithoutLines() // those of the merged document, which nobody wrote
	}
	return changes, true, err
}
