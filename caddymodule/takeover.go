package caddymodule

import "sync"

// logs says which room of this process has which log. A configuration that names another store makes another room with the
// same log: it must wait until the one before it has ended, which Caddy does only after the new one has started. Then it takes
// the line with it: what the log knows is reported to the new store, and tickets say the rest.
var logs = logHolders{has: map[string]*room{}, next: map[string]*room{}}

type logHolders struct {
	mu        sync.Mutex
	has, next map[string]*room
}

// take gives the log to the room, or notes that it waits for it.
func (l *logHolders) take(dir string, r *room) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if has := l.has[dir]; has != nil && has != r {
		l.next[dir] = r
		return false
	}
	l.has[dir] = r
	return true
}

// release takes the room off and returns the one that has been waiting for its log, which has it now.
func (l *logHolders) release(dir string, r *room) (next *room) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next[dir] == r {
		delete(l.next, dir)
	}
	if l.has[dir] != r {
		return nil
	}
	delete(l.has, dir)
	if next = l.next[dir]; next != nil {
		l.has[dir] = next
		delete(l.next, dir)
	}
	return next
}

// takeOver starts a room that has been waiting for its log.
func (r *room) takeOver() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.wanted) == 0 || r.running.Load() {
		return
	}
	if err := r.start(); err != nil {
		r.log.Error("the room cannot start at its new store; nobody is let in", "error", err)
	}
}
