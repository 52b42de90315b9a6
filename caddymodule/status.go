package caddymodule

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/ropeline/ropeline/admission/line"
)

// statusLife is how long the same bytes are given to everybody. The line changes once a second.
const statusLife = 250 * time.Millisecond

// statusDoc is public: the same for all, so that any cache in between may keep it for a second. Times are unix ms by
// the store's clock.
type statusDoc struct {
	Room       string     `json:"room"`
	Epoch      int64      `json:"epoch"`
	Gen        string     `json:"gen"`
	Seq        int64      `json:"seq"`
	State      string     `json:"state"`
	X0         int64      `json:"x0"`
	X1         int64      `json:"x1"`
	At         int64      `json:"at"`
	Until      int64      `json:"until"`
	N          int64      `json:"n"`       // -1 before the freeze
	Joined     int64      `json:"joined"`  // indexes given or left out: the next one
	Waiting    int64      `json:"waiting"` // people known to wait at or beyond x1
	Unsure     int64      `json:"unsure"`  // at most so many more, after a loss of the store
	Door       int64      `json:"door"`
	Gaps       [][2]int64 `json:"gaps"`
	AheadShare float64    `json:"ahead_share"`
	Message    string     `json:"message"`
	Commit     string     `json:"commit"`
	Entropy    string     `json:"entropy_source"`
	OpensAt    int64      `json:"opens_at"`    // 0: by hand
	PrequeueAt int64      `json:"prequeue_at"` // 0: whoever comes joins
	Rate       float64    `json:"rate"`        // per second; 0 while nobody can enter
	Pace       *float64   `json:"pace"`        // places per second over the last half minute; null while unknown
	Stock      *stockDoc  `json:"stock"`       // null: nobody tells what is left
	Now        int64      `json:"now"`
}

func (r *room) statusDoc(now time.Time) statusDoc {
	s := r.line.Snapshot()
	d := statusDoc{Room: r.name, Epoch: s.Epoch, Gen: s.Gen, Seq: s.Seq, State: s.State, X0: s.X0, X1: s.X, At: millis(s.At),
		Until: millis(s.Until), N: s.N, Joined: s.Next, Door: s.Door, Gaps: s.Gaps, AheadShare: s.AheadShare,
		Message: r.message(), Commit: hex.EncodeToString(s.Draw.Commit[:]), Entropy: s.Draw.EntropySource,
		OpensAt: millis(s.Settings.OpensAt), Rate: s.Settings.Rate.PerSecond(), Now: millis(now)}
	d.Waiting, d.Unsure = s.Depth()
	d.PrequeueAt = millis(r.prequeueAt())
	if _, yes := r.scheduled(s.State); yes {
		d.State = "scheduled"
	}
	if d.Gaps == nil {
		d.Gaps = [][2]int64{}
	}
	if s.Settings.Cap == 0 {
		d.Rate = 0 // nobody fits in, whatever the rate says
	}
	if s.Stale || !known(s) {
		d.State = "merging" // nobody moves, nobody loses a place
	}
	if v, ok := r.pace.perSecond(s); ok {
		d.Pace = &v
	}
	d.Stock = newStockDoc(s, now)
	return d
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

type statusCache struct {
	mu   sync.Mutex
	at   time.Time
	body []byte
}

func (c *statusCache) forget() {
	c.mu.Lock()
	c.body = nil
	c.mu.Unlock()
}

func (c *statusCache) get(now time.Time, build func() statusDoc) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if age := now.Sub(c.at); c.body != nil && age >= 0 && age < statusLife {
		return c.body, nil
	}
	b, err := json.Marshal(build())
	if err != nil {
		return nil, err
	}
	c.body, c.at = append(b, '\n'), now
	return c.body, nil
}

func (h *Handler) serveStatus(w http.ResponseWriter, r *http.Request) error {
	b, err := h.room.status.get(time.Now(), func() statusDoc { return h.room.statusDoc(h.room.now()) })
	if err != nil {
		return err
	}
	return public(w, r, b, "application/json", "public, max-age=1, s-maxage=1")
}

// public writes bytes that are the same for everybody.
func public(w http.ResponseWriter, r *http.Request, b []byte, contentType, cache string) error {
	publicHead(w, len(b), contentType, cache)
	if r.Method != http.MethodHead {
		_, _ = w.Write(b)
	}
	return nil
}

func publicHead(w http.ResponseWriter, length int, contentType, cache string) {
	// Access-Control-Allow-Origin: nothing in it is anybody's secret, and apps on other origins wait too.
	set(w.Header(), "Content-Type", contentType, "Content-Length", strconv.Itoa(length), "Cache-Control", cache,
		"X-Content-Type-Options", "nosniff", "Access-Control-Allow-Origin", "*")
	w.WriteHeader(http.StatusOK)
}

// drawDoc is the public record of the draw: enough to recompute every place.
type drawDoc struct {
	Room    string `json:"room"`
	Epoch   int64  `json:"epoch"`
	Commit  string `json:"commit"`
	Source  string `json:"entropy_source"`
	OpensAt int64  `json:"opens_at"`
	N       int64  `json:"n"`
	Root    string `json:"root,omitempty"`
	Entropy string `json:"entropy,omitempty"`
	Secret  string `json:"secret,omitempty"`
	Seed    string `json:"seed,omitempty"`
	Formula string `json:"formula"`
}

func newDrawDoc(room string, s line.Snapshot) drawDoc {
	d := drawDoc{Room: room, Epoch: s.Epoch, Commit: hex.EncodeToString(s.Draw.Commit[:]), Source: s.Draw.EntropySource,
		OpensAt: millis(s.Draw.OpensAt), N: s.Draw.N, Entropy: s.Draw.Entropy,
		Formula: `seed = SHA-256("ropeline-draw-1" | secret | len(entropy) | entropy | root | n)`}
	if s.Draw.N >= 0 && s.Draw.Root != [32]byte{} {
		d.Root = hex.EncodeToString(s.Draw.Root[:])
	}
	if s.Draw.Revealed {
		d.Secret, d.Seed = hex.EncodeToString(s.Draw.Secret[:]), hex.EncodeToString(s.Draw.Seed[:])
	}
	return d
}
