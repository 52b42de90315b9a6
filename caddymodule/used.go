package caddymodule

import (
	"sync"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
)

// maxUsed bounds each half of the memory of spent tickets.
const maxUsed = 32_768

// usedTickets remembers whose places the line has called spent, to choose among several tickets of one visitor without
// asking again. What is forgotten is asked again; nothing is refused by it.
type usedTickets struct {
	mu         sync.RWMutex
	young, old map[usedKey]int64 // the term it was said in: a recall gives places back
}

type usedKey struct {
	vid   admission.VID
	epoch int64
}

func (u *usedTickets) add(t admission.Ticket, s line.Snapshot) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.young) >= maxUsed || u.young == nil {
		u.young, u.old = make(map[usedKey]int64), u.young
	}
	u.young[usedKey{t.VID, t.Epoch}] = s.Term
}

func (u *usedTickets) has(t admission.Ticket, s line.Snapshot) bool {
	u.mu.RLock()
	defer u.mu.RUnlock()
	k := usedKey{t.VID, t.Epoch}
	term, ok := u.young[k]
	if !ok {
		term, ok = u.old[k]
	}
	return ok && term >= s.Term
}
