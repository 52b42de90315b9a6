package fakepay

import "sync"

// maxUsedForms bounds what is remembered of forms; beyond it all is forgotten,
// after which an old form looks new again and the shop refuses what it sends.
const maxUsedForms = 10_000

// usedForms are the card forms that gave the shop a token. A shop that names each
// form it opens ("form" in the address) has it open once: who comes back to it
// with the browser's Back button is told so, instead of being shown a form that
// seems to take the money a second time.
type usedForms struct {
	mu    sync.Mutex
	names map[string]struct{}
}

func (u *usedForms) has(form string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, used := u.names[form]
	return form != "" && used
}

// use notes a form, and says whether that is its first use.
func (u *usedForms) use(form string) bool {
	if form == "" {
		return true
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, used := u.names[form]; used {
		return false
	}
	if u.names == nil || len(u.names) >= maxUsedForms {
		u.names = map[string]struct{}{}
	}
	u.names[form] = struct{}{}
	return true
}
