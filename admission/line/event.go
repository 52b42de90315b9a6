package line

import "encoding/json"

// The kinds of Event, in the words of the grant log.
const (
	EventRoom   = "room"   // state, rate, cap, opens_at; also after the store was rebuilt (rebuilt: true)
	EventRate   = "rate"   // the rate changed
	EventX      = "x"      // X moved
	EventDoor   = "door"   // a visitor now stands at the door
	EventDrop   = "drop"   // a visitor at the door had not knocked for 10 s
	EventGrant  = "grant"  // entry_ms in room time, live counted after it, cap and rate in force
	EventPickup = "pickup" // the grant reached its owner
	EventExpire = "expire" // an unclaimed grant or a lease ended (reason)
	EventLeave  = "leave"  // the session was ended by its visitor or by the origin
	EventDraw   = "draw"   // n, seed, root
)

// Event is one line of the grant log: something a script of the room did. Seq orders the events of a room
// as the store decided them, whichever edge caused them.
type Event struct {
	Seq   int64   `json:"seq"`
	T     int64   `json:"t"`  // the store's clock, unix ms
	RT    float64 `json:"rt"` // room time, ms, three decimals
	Room  string  `json:"room"`
	Epoch int64   `json:"epoch"`
	Term  int64   `json:"term"`
	Kind  string  `json:"event"`

	Vid   string `json:"vid,omitempty"`
	Index *int64 `json:"index,omitempty"`
	Place *int64 `json:"place,omitempty"`

	EntryMS *float64 `json:"entry_ms,omitempty"` // room time, ms, three decimals
	Live    *int64   `json:"live,omitempty"`
	Cap     *int64   `json:"cap,omitempty"`
	Rate    *float64 `json:"rate,omitempty"` // entries per second: 1,000,000 / gap in microseconds
	X       *int64   `json:"x,omitempty"`
	State   string   `json:"state,omitempty"`
	OpensAt *int64   `json:"opens_at,omitempty"` // unix ms
	Reason  string   `json:"reason,omitempty"`
	N       *int64   `json:"n,omitempty"`
	Seed    string   `json:"seed,omitempty"`
	Root    string   `json:"root,omitempty"`
	Rebuilt bool     `json:"rebuilt,omitempty"`
}

// AppendJSON adds the event as one line of the grant log, with its newline.
func (e Event) AppendJSON(b []byte) []byte {
	line, err := json.Marshal(e)
	if err != nil { // no field of an Event can fail to encode, unless a float is not finite
		panic("line: event: " + err.Error())
	}
	return append(append(b, line...), '\n')
}
