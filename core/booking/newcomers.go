package booking

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
)

// newcomers are the accounts whose first row some lane is about to write. Where two lanes
// have one, the second would wait for the first and then run its whole batch again; so its
// request has its turn later. Between processes that is what happens, which is seldom.
type newcomers struct {
	mu  sync.Mutex
	set map[hold.AccountRef]bool
}

// enter gives those of the list that nobody else has, as the caller's.
func (n *newcomers) enter(list []hold.AccountRef) (mine, others []hold.AccountRef) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.set == nil {
		n.set = make(map[hold.AccountRef]bool)
	}
	for _, a := range list {
		if n.set[a] {
			others = append(others, a)
			continue
		}
		n.set[a] = true
		mine = append(mine, a)
	}
	return mine, others
}

func (n *newcomers) leave(mine []hold.AccountRef) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, a := range mine {
		delete(n.set, a)
	}
}

// letOneBegin puts off the requests of accounts that another lane begins with. Whoever has
// been put off for too long waits for that lane instead.
func (d *decision) letOneBegin() {
	if d.wait == hold.Block {
		return
	}
	var others []hold.AccountRef
	d.begun, others = d.e.newcomers.enter(d.world.NewAccounts())
	for _, a := range others {
		d.world.PutOff(a)
	}
}

// proveRefusals looks once more at the accounts without a row whose requests are refused. No
// lock stands for such a row, so their first hold, under this very key perhaps, may have been
// committed after the account was looked for and before the seats were: what is then refused
// as taken is the account's own. Such a request has its turn again, and finds its row. Where
// there is still none, what was seen in the seats is somebody else's.
//
// Of a request whose earlier COMMIT is unknown even that proves nothing: the other backend may
// still be about to commit. Alone, in its later turn, it takes the row, and so waits for that one.
func (d *decision) proveRefusals(ctx context.Context, tx pgx.Tx) error {
	var refused []*request
	var accounts []hold.AccountRef
	for _, r := range d.fresh {
		if a := d.world.Account(r.key.event, r.key.account); d.out[r].err != nil && a.New {
			refused, accounts = append(refused, r), append(accounts, hold.AccountRef{Event: r.key.event, ID: r.key.account})
		}
	}
	if len(refused) == 0 {
		return nil
	}
	begun, err := hold.Begun(ctx, tx, accounts)
	if err != nil {
		return err
	}
	for i, r := range refused {
		switch {
		case begun[accounts[i]]:
			d.out[r] = outcome{}
		case r.rerun && d.wait == hold.Skip:
			d.out[r] = outcome{}
		case r.rerun:
			mine, err := hold.Begin(ctx, tx, accounts[i])
			if err != nil {
				return err
			}
			if !mine {
				d.out[r] = outcome{}
			}
		}
	}
	return nil
}
