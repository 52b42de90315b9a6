package line

import "context"

const (
	presenceBlock = 4096  // places a block; 512 bytes of a message, and what one visitor alone costs
	presenceMax   = 256   // blocks a call: the heartbeats of a million places at a time
	hereMax       = 65536 // blocks kept: 32 MiB, 268 million places
)

// presence keeps heartbeats as bitmaps by place, in blocks, until they are sent. One command of the store takes a whole block:
// one for each heartbeat would make the waiting, who ask nothing else of it, its greatest load.
type presence map[int64]*[presenceBlock / 8]byte

func (p presence) set(place int64) {
	at := place / presenceBlock
	block := p[at]
	if block == nil {
		if len(p) >= hereMax {
			return // a hint only
		}
		block = new([presenceBlock / 8]byte)
		p[at] = block
	}
	bit := place % presenceBlock
	block[bit/8] |= 0x80 >> (bit % 8)
}

// calls are the arguments of presence.lua that say all of it, never none: a call without heartbeats rotates the bitmaps.
func (p presence) calls() [][]any {
	calls, args := [][]any{}, []any{}
	for at, block := range p {
		if len(args) == 2*presenceMax {
			calls, args = append(calls, args), nil
		}
		args = append(args, at*presenceBlock/8, block[:])
	}
	return append(calls, args)
}

// Present notes a heartbeat: the visitor still waits. It makes no call to the store.
func (r *Room) Present(v Visitor) {
	if !v.valid() {
		return
	}
	r.remember(v)
	place := r.Place(v.Index)
	if place < 0 || place > maxIndex {
		return
	}
	g := &r.gather
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.here == nil {
		g.here = presence{}
	}
	g.here.set(place)
}

func (r *Room) flushPresence(ctx context.Context) error {
	r.gather.mu.Lock()
	here := r.gather.here
	r.gather.here = nil
	r.gather.mu.Unlock()
	for _, args := range here.calls() {
		if _, err := r.call(ctx, scriptPresence, args...); err != nil {
			return err // a hint only: the next heartbeat says it again
		}
	}
	return nil
}
