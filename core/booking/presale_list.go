package booking

import (
	"context"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/problem"
)

// CodePage is how many codes a page of a list has.
const CodePage = 1000

// PresaleUse is a presale as staff see it.
type PresaleUse struct {
	Presale  int16  `json:"presale"` // its number
	Name     string `json:"name"`
	StartsAt Stamp  `json:"starts_at"`
	EndsAt   *Stamp `json:"ends_at"` // null: until the event is on sale to everybody
	Codes    int    `json:"codes"`
	Uses     int64  `json:"uses"` // of all codes together
	Used     int64  `json:"used"`
	Accounts int64  `json:"accounts"` // that may buy in it
}

// CodeUse is a code as staff see it: not the code, which is kept nowhere.
type CodeUse struct {
	Mark string `json:"mark"`
	Uses int    `json:"uses"`
	Used int    `json:"used"`
}

// Presales tells how far the codes of an event's presales are used.
func (e *Engine) Presales(ctx context.Context, slug string) ([]PresaleUse, error) {
	id, err := e.EventID(ctx, slug)
	if err != nil {
		return nil, err
	}
	list, err := hold.Presales(ctx, e.db.Pool, id)
	if err != nil {
		return nil, err
	}
	out := make([]PresaleUse, len(list))
	for i, p := range list {
		v := viewPresale(slug, hold.Presale{Name: p.Name, StartsAt: p.StartsAt, EndsAt: p.EndsAt})
		out[i] = PresaleUse{p.ID, v.Name, v.StartsAt, v.EndsAt, p.Codes, p.Uses, p.Used, p.Accounts}
	}
	return out, nil
}

// Codes tells how far each code of a presale is used, CodePage of them after a mark. only,
// if not "", is the one code it is about.
func (e *Engine) Codes(ctx context.Context, slug string, presale int16, after, only string) ([]CodeUse, error) {
	list, err := e.Presales(ctx, slug)
	if err != nil {
		return nil, err
	}
	known := false
	for _, p := range list {
		known = known || p.Presale == presale
	}
	if !known {
		return nil, problem.NotFound.Say("This event has no presale %d.", presale)
	}
	id, err := e.EventID(ctx, slug)
	if err != nil {
		return nil, err
	}
	codes, err := hold.Codes(ctx, e.db.Pool, id, presale, after, only, CodePage)
	if err != nil {
		return nil, err
	}
	out := make([]CodeUse, len(codes))
	for i, c := range codes {
		out[i] = CodeUse(c)
	}
	return out, nil
}
