package line

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// header is what every reply says about the room. Times are in microseconds: now and at by the store's clock,
// the others in room time; opensAt is in unix milliseconds.
type header struct {
	exists                       bool
	now, rt, at, here, allUntil  int64
	epoch, term, seq, losses     int64
	gen, run, phase, leader      string
	merging, reg, need, sv       int64
	settled                      bool
	members, missing, reason     string
	cut, doubled                 string
	next, ceil, n                int64
	x, x0, ticks                 int64
	cap, gap, tail, live, door   int64 // gap: in force
	fixed                        int64 // the gap of the settings
	paced                        bool  // gap is the leader's
	opensAt, idle, hard          int64
	paused, soldOut, closed      bool // sold out is a pause with another name
	net, through, queued         bool // the safety net: on, in force now, ever not in force in this epoch
	hot                          int64
	failOpen                     int64
	fence                        int64
	grants, pickups, lapsed, out int64
	share                        float64
	waiting, found               int64
	rate, commit, promised       string
	entropySource, entropy       string
	root, seed, secret, gaps     string
	message, order, stock        string
}

func parseHeader(pairs []string) (h header, err error) {
	if len(pairs)%2 != 0 {
		return h, fmt.Errorf("a header of %d parts", len(pairs))
	}
	f := make(map[string]string, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		f[pairs[i]] = pairs[i+1]
	}
	n := func(name string) int64 {
		v, perr := strconv.ParseInt(f[name], 10, 64)
		if perr != nil && err == nil {
			err = fmt.Errorf("header %s: %w", name, perr)
		}
		return v
	}
	h = header{
		exists: f["exists"] == "1",
		now:    n("now"), rt: n("rt"), at: n("at"), here: n("here_at"), allUntil: n("all_until"),
		epoch: n("epoch"), term: n("term"), seq: n("seq"), losses: n("losses"),
		gen: f["gen"], run: f["run"], phase: f["phase"], leader: f["leader"],
		next: n("next"), ceil: n("ceil"), n: n("n"),
		x: n("x"), x0: n("x0"), ticks: n("ticks"),
		cap: n("cap"), gap: n("gap"), tail: n("tail"), live: n("live"), door: n("door"),
		opensAt: n("opens_at"), idle: n("idle"), hard: n("hard"),
		paused: n("paused") > 0, soldOut: n("paused") == 2, closed: n("closed") == 1,
		net: n("net") == 1, hot: n("hot"), through: f["through"] == "1", queued: n("queued") == 1, failOpen: n("fail_open"),
		fence: n("fence"), paced: n("paced") == 1,
		grants: n("grants"), pickups: n("pickups"), lapsed: n("lapsed"), out: n("left"),
		waiting: n("waiting"), found: n("found"),
		merging: n("merging"), reg: n("reg"), need: n("need"), sv: n("sv"), settled: n("settled") == 1,
		members: f["members"], missing: f["missing"], reason: f["reason"], cut: f["cut"], doubled: f["doubled"],
		rate: f["rate"], commit: f["commit"], promised: f["promised"],
		entropySource: f["entropy_source"], entropy: f["entropy"],
		root: f["root"], seed: f["seed"], secret: f["secret"], gaps: f["gaps"], message: f["message"],
		order: f["order"], stock: f["stock"],
	}
	h.fixed = h.gap
	if h.paced {
		h.gap = n("pgap")
	}
	h.share, _ = strconv.ParseFloat(f["share"], 64)
	return h, err
}

// state is what the public document calls it.
func (h header) state() string {
	switch {
	case h.closed:
		return string(StateClosed)
	case h.soldOut && h.reason == "":
		return string(StateSoldOut)
	case h.paused || h.reason != "":
		return string(StatePaused)
	case h.merging > 0:
		return StateMerging
	case h.through:
		return StatePassthrough
	}
	return h.phase
}

// newer reports whether h says more than old. Room time never goes back within a life of the store; the
// store's clock may.
func (h header) newer(old header) bool {
	if h.losses != old.losses || h.epoch != old.epoch {
		return h.epoch > old.epoch || h.epoch == old.epoch && h.losses > old.losses
	}
	return h.rt >= old.rt
}

// clock translates room time to the store's clock.
func (h header) clock(rt int64) time.Time { return time.UnixMicro(h.now + rt - h.rt) }

func (h header) settings() Settings {
	s := Settings{
		State: State(h.phase), Cap: int(h.cap),
		Idle: time.Duration(h.idle) * time.Microsecond, Hard: time.Duration(h.hard) * time.Microsecond,
		OpensAt: millis(h.opensAt), EntropySource: h.entropySource,
		Message: h.message, Passthrough: h.net, FailOpenFor: time.Duration(h.failOpen) * time.Microsecond,
	}
	s.Rate, _ = ParseRate(h.rate)
	if h.paced {
		s.Rate = rateOfGap(h.gap)
	}
	switch {
	case h.closed:
		s.State = StateClosed
	case h.soldOut:
		s.State = StateSoldOut
	case h.paused:
		s.State = StatePaused
	case h.phase == phaseDrawing:
		s.State = StateOpen
	}
	return s
}

func (h header) draw() DrawRecord {
	return DrawRecord{
		Commit: hash(h.commit), OpensAt: millis(num(h.promised)), EntropySource: h.entropySource, Entropy: h.entropy,
		N: h.n, Root: hash(h.root), Secret: hash(h.secret), Seed: hash(h.seed), Revealed: h.seed != "",
	}
}

func rangeList(text string) (list [][2]int64) {
	for _, g := range strings.Fields(text) {
		from, to, _ := strings.Cut(g, "-")
		list = append(list, [2]int64{num(from), num(to)})
	}
	return list
}

// The kinds of merging, as merge.lua numbers them.
const (
	mergingTotal = 1
	mergingTail  = 2
	mergingBirth = 3
)

// reasonNoCheckpoint is why a room stops that lost everything and of which no log knows.
const reasonNoCheckpoint = "no_checkpoint"

// The phases of a draw.
const (
	phasePrequeue = "prequeue"
	phaseDrawing  = "drawing"
	phaseOpen     = "open"
)

// millis is a moment in unix milliseconds; zero means none.
func millis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func unixMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func hash(hexText string) (h [32]byte) {
	b, _ := hex.DecodeString(hexText)
	copy(h[:], b)
	return h
}

func hexOf(h [32]byte) string { return hex.EncodeToString(h[:]) }
