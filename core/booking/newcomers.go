package booking

import (
	"sync"

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
