package hold

import "time"

// OnSale is the rule of the sale window, for everybody.
func (e *Event) OnSale(now time.Time) error {
	reason := ""
	switch {
	case e.State != "on_sale":
		reason = e.State
	case e.OnSaleAt != nil && now.Before(*e.OnSaleAt):
		reason = "not_yet"
	case e.OffSaleAt != nil && !now.Before(*e.OffSaleAt):
		reason = "ended"
	default:
		return nil
	}
	p := ErrNotOnSale.With("reason", reason)
	if reason == "not_yet" {
		p = p.With("on_sale_at", e.OnSaleAt.UTC())
	}
	return p
}

// InPresale: not on sale to everybody yet, but to who has redeemed a code of a
// presale that has begun.
func (e *Event) InPresale(now time.Time) bool {
	return e.State == "on_sale" && e.OnSaleAt != nil && now.Before(*e.OnSaleAt) && e.PresaleAt != nil && !now.Before(*e.PresaleAt)
}

// opensTo is the rule of the sale window for one account.
func (e *Event) opensTo(a *Account, now time.Time) error {
	if !e.InPresale(now) {
		return e.OnSale(now)
	}
	if a.Presale {
		return nil
	}
	return ErrNotOnSale.Say("This event is in presale. Redeem a code to buy now.").
		With("reason", "presale").With("on_sale_at", e.OnSaleAt.UTC())
}

// keeps: the seat is not for everybody now.
func (e *Event) keeps(s *Seat, now time.Time) bool {
	return special(s.Kind) && (e.AccessUntil == nil || now.Before(*e.AccessUntil))
}

func special(kind string) bool { return kind == KindAccessible || kind == KindCompanion }

// companionsPerSeat is how many companions' seats one accessible seat brings along:
// as many as 28 CFR 36.302(f) asks for.
const companionsPerSeat = 3

// budgetWindow is the time in which an account may use up its event's budget of
// holds that were not bought.
const budgetWindow = 24 * time.Hour

// budgetLeft is what the account may still hold without buying.
func (a *Account) budgetLeft(ev *Event, now time.Time) int {
	if a.Budget < 0 || !now.Before(a.Since.Add(budgetWindow)) {
		return ev.Budget
	}
	return a.Budget
}

// spend takes one hold from the account's budget; a hold that is sold brings it back.
// Without it, hold, wait, hold again keeps places from being sold for ever, at no
// cost. Replacing a hold is free: the cap on what was first held bounds it.
func (w *World) spend(ev *Event, a *Account) error {
	if ev.Budget == 0 {
		return nil
	}
	left := a.budgetLeft(ev, w.Now)
	if left <= 0 {
		p := ErrBudget.With("budget", ev.Budget)
		p.RetryAfter = a.Since.Add(budgetWindow).Sub(w.Now)
		return p
	}
	w.touchAccount(a)
	if a.Budget < 0 || !w.Now.Before(a.Since.Add(budgetWindow)) {
		a.Since = w.Now
	}
	a.Budget = left - 1
	return nil
}

// earn gives back what a sale has proved to be honest.
func (w *World) earn(ev *Event, a *Account) {
	if ev != nil && a.Budget >= 0 {
		a.Budget = min(ev.Budget, a.Budget+1)
	}
}
