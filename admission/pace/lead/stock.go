package lead

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/report"
)

// toldFor is how long a word about the stock may be passed on: an older one might be wrong by now, and nobody may be told
// wrongly that everything is sold.
const toldFor = 15 * time.Second

// StockSaid is for how long a page may say it.
const StockSaid = 2 * toldFor

var stockNames = map[pace.StockState]string{pace.Open: report.StockOpen, pace.LastSeats: report.StockLastSeats,
	pace.AllHeld: report.StockAllHeld, pace.SoldOut: report.StockSoldOut}

// Stock is what may be told to those who wait.
type Stock struct {
	State string // of package report
	Seats int64  // free now
	Back  int64  // seconds from At until the next hold may return; negative: nobody knows
	At    time.Time
}

// stockWord is the stock as the room keeps it: state, seats, seconds to the next return, unix ms of the origin's word.
func (p *Pacer) stockWord(sec *line.Second, in *pace.Inputs, d *pace.Decision, now time.Time) string {
	name, told := stockNames[d.Stock]
	age := now.Sub(in.Stock.At)
	if !told || in.Stock.At.IsZero() || age >= toldFor {
		return ""
	}
	back := -1.0
	if d.Back >= 0 {
		back = math.Ceil(d.Back + age.Seconds())
	}
	return fmt.Sprintf("%s %.0f %.0f %d", name, max(0, in.Stock.Available), back, sec.Now.Add(-age).UnixMilli())
}

// ParseStock reads that word. ok is false when there is none, or it is too old to be passed on.
func ParseStock(word string, now time.Time) (s Stock, ok bool) {
	f := strings.Fields(word)
	if len(f) != 4 {
		return s, false
	}
	seats, err1 := strconv.ParseInt(f[1], 10, 64)
	back, err2 := strconv.ParseInt(f[2], 10, 64)
	at, err3 := strconv.ParseInt(f[3], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return s, false
	}
	s = Stock{State: f[0], Seats: seats, Back: back, At: time.UnixMilli(at)}
	return s, now.Sub(s.At) < StockSaid
}
