package sim

// World is what the plant is made of at one moment. Scenarios change it; an oracle may look at it.
type World struct {
	Servers float64 // of the database
	Slow    float64 // factor on every answer of the database
	Down    bool    // the database does nothing
	Slots   float64 // of the payment provider
	PayTime float64 // seconds
	Show    float64 // share of the released who come
	Think   float64 // factor on thinking time
	Bots    float64 // share of claims that never load a page

	Telemetry bool
	Noise     float64 // relative, on busy time
	Missing   float64 // share of answers lost
	Lie       float64 // factor on the busy time reported
	Skew      float64 // seconds that the origin's clock is ahead

	Store  bool // the line's store answers
	Leader bool // somebody decides
}

// The plant's constants, per ADMISSION: seconds and shares.
const (
	costPage    = 0.040
	costHold    = 0.150
	costConfirm = 0.200
	costSigma   = 0.35

	tailShare    = 0.35
	tailDelay    = 12.0
	tailSigma    = 0.6
	leastPages   = 3
	morePages    = 3.0 // mean of a geometric number
	mostPages    = 60
	thinkTime    = 14.0
	thinkSigma   = 0.7
	wantsSeat    = 0.75
	formMean     = 45.0
	formSigma    = 0.5
	walksAway    = 0.25
	holdLasts    = 480.0
	paySigma     = 0.4
	payPatience  = 60.0
	backlogSlow  = 0.35 // slower at most
	backlogFull  = 16.0 // requests a server that make it so
	timeout      = 8.0
	retries      = 3
	gateWait     = 30.0
	triesForSeat = 3
	seatPause    = 15.0
)

func calm(servers float64) World {
	return World{
		Servers: servers, Slow: 1, Slots: 2 * servers, PayTime: 1.2, Show: 0.85, Think: 1,
		Telemetry: true, Lie: 1, Store: true, Leader: true,
	}
}

// perPerson is the database work of one who comes, in seconds of a server that is not slowed.
func (w *World) perPerson() float64 {
	return (1 - w.Bots) * ((leastPages+morePages)*costPage + wantsSeat*(costHold+(1-walksAway)*costConfirm))
}

// change is something that happens to the world at a known time.
type change struct {
	at float64
	do func(*World)
}

// Scenario is a story that all controllers meet.
type Scenario struct {
	Name    string
	Group   string // calm, fault, small, ... : what its figures count for
	Seconds int
	Servers float64
	Seats   int     // 0: more than can be sold
	Gate    bool    // the inner gate at hold and confirm
	Safe    float64 // factor on the configured safe rate
	Guess   float64 // factor on the guessed work a person
	Pin     [2]float64
	plan    *player // plays a plan instead of the changes
	changes []change
}

// at is the world at a time, as the clairvoyant sees it.
func (s *Scenario) at(t float64) World {
	w := calm(s.Servers)
	for _, c := range s.changes {
		if c.at <= t {
			c.do(&w)
		}
	}
	return w
}
