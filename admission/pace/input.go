package pace

import "time"

const (
	// AgeBucket is the resolution of session ages, in seconds.
	AgeBucket = 5
	// Ages is how many buckets a session has: ten minutes.
	Ages = 120
	// Lags is how many seconds after its release a place is still expected to be claimed.
	Lags = 120
	// Expiries is how many buckets of AgeBucket seconds the histogram of hold expiries looks ahead.
	Expiries = 120
)

// Inputs is everything a decision is made from.
type Inputs struct {
	Gate      Gate
	Resources [MaxResources]Reading // as in Config.Resources; a reading with At zero is none
	LockWait  Level                 // seconds waited for locks
	Stock     Stock
	Operator  Operator
	Epoch     int64
}

// Gate is what the edges saw themselves since the last tick: always there, always fresh.
type Gate struct {
	Seconds      float64                // that the counts cover; 0: one
	X            int64                  // places below X are released
	Waiting      int64                  // people in line from X on
	Active       int64                  // live sessions
	Claims       [Lags]uint32           // people who came: first requests with a new pass, by seconds since their place was released
	Work         [MaxKinds][Ages]uint32 // requests of admitted sessions, by kind and session age
	Flight       float64                // requests at the origin, mean over the tick
	P99          float64                // seconds, over the last 10 s; 0 without requests
	Failed       float64                // share of requests that failed in the last 10 s
	RecentP99    float64                // over the last 3 s
	RecentFailed float64
	Asked        int64 // requests in the last 10 s
	Away         bool  // the store is out of reach: nobody can be let in
}

// Reading is what one resource did between two answers of the origin, all instances added up (see [Series]).
type Reading struct {
	At       time.Time // end of the interval, by the origin's clock
	Seconds  float64   // its length
	Busy     float64   // busy seconds in it
	Capacity float64   // servers, connections, slots; 1 for a lock
	Done     [MaxKinds]float64
	Waiting  float64 // requests that wait for the resource now
}

// Level is a value with the time it was taken.
type Level struct {
	At    time.Time
	Value float64
}

// Stock is what can still be sold.
type Stock struct {
	At                           time.Time // zero: the origin does not tell
	Available, Held, Sold, Total float64
	// Expiring is the number of seats whose hold ends in each of the next buckets of AgeBucket seconds, if nobody pays.
	Expiring [Expiries]float64
}

// Operator is what people decided.
type Operator struct {
	Override Override
	Cap      int64   // most live sessions; 0: no limit
	Floor    float64 // people a second; 0: as configured
	Ceiling  float64
}
