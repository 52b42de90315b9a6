package line

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// MaxSaw bounds what one edge tells of what it saw: it is in the store once for each edge, and read by the leader each second.
const MaxSaw = 16 << 10

// sawLives is how old the counts of an edge may be to count.
const sawLives = 15 * second

// Pacer decides the rate of a room once a second. The room asks; it must answer at once and not call the room.
type Pacer interface {
	// Saw is what this edge has counted since its process began, for whoever leads; nil: this room is not paced. It is asked
	// at each tick.
	Saw() []byte
	// Pace is asked while this edge leads. ok is false when it has nothing to say: the rate stays, for 15 s.
	Pace(Second) (p Paced, ok bool)
}

// Second is what a decision is made from. Times in room time are microseconds.
type Second struct {
	Now   time.Time // the store's clock
	RT    int64
	Edge  string // this one
	Epoch int64
	Fence int64
	Gen   string

	// Began: this edge leads since this second. Saved is then what another leader, or this edge as an earlier one, left for
	// it, and SavedRT when; nil if there is nothing.
	Began   bool
	Saved   []byte
	SavedRT int64

	State      string
	X          int64
	Granted    int64 // entry times given so far: who only stands at the door can still be held there
	Live, Door int64
	Cap        int64
	Waiting    int64 // present at or beyond X
	Gap        int64 // in force; 0: nobody enters
	Paced      bool  // Gap is a leader's decision, or the floor when nobody decided any more
	Fixed      int64 // of the settings
	Order      string
	Saw        []Saw
}

// Saw is one edge's counts.
type Saw struct {
	Edge string
	RT   int64
	Said []byte
}

// Paced is a decision.
type Paced struct {
	Off   bool  // the settings' rate holds
	Gap   int64 // least room time between two entries, microseconds; 0: nobody enters
	Floor int64 // the gap to fall back to when nobody decides any more
	Stock string
	Save  []byte // for a successor; nil: what was saved last stands
	Tell  []byte // for whoever asks an edge that does not lead; nil: as before
}

// ledBy remembers since when this edge leads.
type ledBy struct {
	fence int64
	gen   string
}

// paced asks the pacer for its arguments of the tick, after the mover's.
func (r *Room) paced(ctx context.Context, v *view, leads bool) (args []any, gap int64, err error) {
	p := r.cfg.Pacer
	if p == nil {
		return nil, v.gap, nil
	}
	saw := p.Saw()
	if len(saw) > MaxSaw {
		r.cfg.Logger.Error("what this edge saw is too long for the store and is left out", "room", r.cfg.Name, "bytes", len(saw), "most", MaxSaw)
		saw = []byte{}
	}
	args = []any{saw, "", "", "", "", ""}
	if !leads {
		r.led = ledBy{}
		return args, v.gap, nil
	}
	s, err := r.second(ctx, v, saw)
	if err != nil {
		return args, v.gap, err
	}
	d, ok := p.Pace(s)
	r.led = ledBy{v.fence, v.gen}
	switch {
	case !ok:
		return args, v.gap, nil
	case d.Off:
		args[1], gap = "off", v.fixed
	default:
		args[1], args[2], args[3], gap = itoa(d.Gap), itoa(d.Floor), d.Stock, d.Gap
	}
	args[4], args[5] = d.Save, d.Tell
	return args, gap, nil
}

// second is the leader's view; plain reads, since what they say is a second old anyhow.
func (r *Room) second(ctx context.Context, v *view, saw []byte) (Second, error) {
	s := Second{Now: time.UnixMicro(v.now).Add(r.now().Sub(v.heard)), RT: v.rt, Edge: r.edge, Epoch: v.epoch, Fence: v.fence, Gen: v.gen, State: v.state(), X: v.x, Granted: v.grants,
		Live: v.live, Door: v.door, Cap: v.cap, Waiting: v.waiting, Gap: v.gap, Paced: v.paced, Fixed: v.fixed, Order: v.order}
	s.Began = r.led != ledBy{v.fence, v.gen}
	if saw == nil {
		return s, nil
	}
	var all *redis.MapStringStringCmd
	var saved *redis.StringCmd
	_, err := r.store.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		all = p.HGetAll(ctx, r.key("gate"))
		if s.Began {
			saved = p.HGet(ctx, r.key("pacing"), "state")
		}
		return nil
	})
	if err != nil && err != redis.Nil {
		return s, wrapStore(err)
	}
	for edge, text := range all.Val() {
		at, said, _ := strings.Cut(text, " ")
		if rt := num(at); edge != r.edge && v.rt-rt < sawLives {
			s.Saw = append(s.Saw, Saw{edge, rt, []byte(said)})
		}
	}
	s.Saw = append(s.Saw, Saw{r.edge, v.rt, saw})
	if saved != nil {
		if at, state, ok := strings.Cut(saved.Val(), " "); ok {
			s.SavedRT, s.Saved = num(at), []byte(state)
		}
	}
	return s, nil
}

// PaceReport is what the leader told last; nil if it never did.
func (r *Room) PaceReport(ctx context.Context) ([]byte, error) {
	b, err := r.store.client.HGet(ctx, r.key("pacing"), "report").Bytes()
	if err == redis.Nil {
		return nil, nil
	}
	if err != nil {
		return nil, wrapStore(err)
	}
	return b, nil
}

// Order leaves an operator's word for whoever paces the room; empty: none. Every edge's log keeps it.
func (r *Room) Order(ctx context.Context, text string) error {
	if len(text) > maxOrder {
		return fmt.Errorf("order: %d bytes, at most %d", len(text), maxOrder)
	}
	return r.set(ctx, []any{"run", "order", text})
}

const maxOrder = 1000 // bytes
