package report

import "time"

// The modes of Document.Mode. Off is a room with a fixed rate, which is all that its document says.
const (
	Off    = "off"
	Auto   = "auto"
	Pin    = "pin"
	Pause  = "pause"
	Drain  = "drain"
	Shadow = "shadow"
)

// Document is everything about one room's admission at one moment. Whichever edge is asked answers what the leader wrote
// last, at most about two seconds ago.
type Document struct {
	Room  string    `json:"room"`
	Epoch int64     `json:"epoch"`
	Now   time.Time `json:"now"` // the store's clock when the decision below was made

	Mode       string `json:"mode"`       // in force now
	Configured string `json:"configured"` // of the file: auto, shadow or off
	Applied    bool   `json:"applied"`    // false in shadow: `rate` is what it would be
	Blind      bool   `json:"blind"`      // nothing tells how busy the origin is: its limit is found by trying

	Rate     float64 `json:"rate"`     // people who shall come, as decided
	InForce  float64 `json:"in_force"` // what the door lets in; differs from rate in shadow, and when nobody decides
	Release  float64 `json:"release"`  // places called for them: some do not come
	Reason   string  `json:"reason"`   // name of the smallest limit
	Sentence string  `json:"sentence"` // why this number, for people

	// Limits by name: those of the resources, then inventory, active_cap, slew, confidence, stale, brake, ceiling, floor, pin.
	Limits map[string]float64 `json:"limits"`

	Quality   Quality    `json:"quality"`
	Resources []Resource `json:"resources"`
	Pipeline  Pipeline   `json:"pipeline"`
	Signals   []Signal   `json:"signals"`
	Stock     *Stock     `json:"stock,omitempty"` // nil: the origin does not tell
	Override  *Override  `json:"override,omitempty"`
	Leader    Leader     `json:"leader"`
	Edges     []Edge     `json:"edges"`
	History   []Moment   `json:"history,omitempty"` // oldest first, the last ten minutes
}

// Quality is what the objectives are about. A share of its objective below 1 is good.
type Quality struct {
	P99       float64 `json:"p99"`       // seconds, over ten seconds, at the gate
	Errors    float64 `json:"errors"`    // share of requests
	LockWait  float64 `json:"lock_wait"` // seconds, as the origin tells
	Flight    float64 `json:"flight"`    // requests at the origin
	Requests  float64 `json:"requests"`  // a second
	Payment   float64 `json:"payment"`   // seconds that the payment provider takes, as the origin tells; 0: it does not
	Objective struct {
		P99      float64 `json:"p99"`
		Errors   float64 `json:"errors"`
		LockWait float64 `json:"lock_wait"`
	} `json:"objective"`
	// Of the objective.
	P99Share      float64 `json:"p99_share"`
	ErrorsShare   float64 `json:"errors_share"`
	LockWaitShare float64 `json:"lock_wait_share"`
}

// Resource is the card of one resource.
type Resource struct {
	Name     string   `json:"name"`
	Rate     *float64 `json:"rate,omitempty"` // people a second that it bears; nil: it limits nothing
	Capacity float64  `json:"capacity"`       // servers, connections or slots; 0: not known
	Used     float64  `json:"utilisation"`    // busy share of them, newest reading
	Work     *float64 `json:"work,omitempty"` // units a second that may be done
	Person   float64  `json:"person"`         // units that one person brings in the end
	Cost     float64  `json:"cost"`           // busy seconds a unit
	Trim     float64  `json:"trim"`           // share of the capacity that is used because answers were slow beyond it; 1: all
	Within   float64  `json:"within"`         // seconds from now where it is tightest
	Advisory bool     `json:"advisory"`
	Blind    bool     `json:"blind"`   // it tells nothing
	Doubted  bool     `json:"doubted"` // it reports much less than the gate sees
	State    string   `json:"state"`   // of its signal: see Signal
	// Load is the work a second predicted for each of the next steps of LoadStep seconds, at the rate decided; LoadAnyway is
	// the part of it that comes whatever is decided. To be drawn against Work.
	Load       []float64 `json:"load,omitempty"`
	LoadAnyway []float64 `json:"load_anyway,omitempty"`
	// LoadEach is what one entry a second from now on adds, so that other rates can be tried.
	LoadEach []float64 `json:"load_each,omitempty"`
	LoadStep int       `json:"load_step"`
}

// Pipeline is who is on the way and who is inside.
type Pipeline struct {
	Waiting  int64     `json:"waiting"`        // present in line
	Pending  float64   `json:"pending"`        // called, expected and not yet here
	Inside   int64     `json:"inside"`         // live sessions
	Cap      int64     `json:"cap"`            // most live sessions
	Show     float64   `json:"show"`           // share of the called who come
	ShowDoes float64   `json:"show_dev"`       // its standard deviation
	Arriving float64   `json:"arriving"`       // people who came in the last ten seconds, a second
	Ages     []float64 `json:"ages,omitempty"` // people who came so long ago: steps of AgeStep seconds, the youngest first
	AgeStep  int       `json:"age_step"`
}

// The states of a signal.
const (
	SignalNever = "never"
	SignalFresh = "fresh"
	SignalWarn  = "warn"
	SignalStale = "stale"
)

// Signal is one source that decisions are made from.
type Signal struct {
	Name     string   `json:"name"`              // gate, db, payment, lock_wait, stock, telemetry <url>
	Age      *float64 `json:"age,omitempty"`     // seconds since its newest value; nil: never heard
	State    string   `json:"state"`             // never, fresh, warn, stale
	Required bool     `json:"required"`          // advisory ones are ignored when they fall silent
	IfDead   string   `json:"if_dead,omitempty"` // what happens if it dies now, in a sentence
	Detail   string   `json:"detail,omitempty"`  // instances heard, the last error
}

// The states of a stock.
const (
	StockOpen      = "open"
	StockLastSeats = "last_seats"
	StockAllHeld   = "all_held"
	StockSoldOut   = "sold_out"
)

// Stock is what can be sold.
type Stock struct {
	State     string    `json:"state"`
	Available float64   `json:"available"`
	Held      float64   `json:"held"`
	Sold      float64   `json:"sold"`
	Total     float64   `json:"total"`
	Need      float64   `json:"need"`               // seats that the people inside will still want
	Free      float64   `json:"free"`               // available, less what was taken since it was told
	BackIn    *float64  `json:"back_in,omitempty"`  // seconds until the next hold may return
	Expiring  []float64 `json:"expiring,omitempty"` // seats whose hold ends in each of the next steps, if nobody pays
	Step      int       `json:"step"`               // seconds a step of Expiring
	Age       float64   `json:"age"`                // seconds
}

// Override is what an operator decided.
type Override struct {
	Mode  string    `json:"mode"`
	Rate  float64   `json:"rate,omitempty"` // of a pin
	Who   string    `json:"who"`
	Why   string    `json:"why"`
	Until time.Time `json:"until"`
}

// Leader is the edge that decides.
type Leader struct {
	Edge  string    `json:"edge"`
	Since time.Time `json:"since"`
	Fence int64     `json:"fence"` // grows with each change of the leader
}

// Edge is one of those whose counts are added up.
type Edge struct {
	Name string  `json:"name"`
	Age  float64 `json:"age"` // seconds since its newest counts
}

// Moment is one decision of the past.
type Moment struct {
	At     time.Time          `json:"at"`
	Mode   string             `json:"mode"`
	Rate   float64            `json:"rate"`
	Reason string             `json:"reason"`
	P99    float64            `json:"p99"`
	Limits map[string]float64 `json:"limits"`
}
