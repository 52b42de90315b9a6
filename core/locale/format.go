package locale

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Format is how one language writes numbers, money and times. The script of a
// page has the same values and the same few rules (assets/js/format.js).
type Format struct {
	Lang string `json:"lang"`
	RTL  bool   `json:"rtl"`

	Digits    string `json:"digits"` // ten of them
	Group     string `json:"group"`
	Decimal   string `json:"decimal"`
	Grouping  []int  `json:"grouping"`  // sizes of groups from the right; the last repeats
	GroupFrom int    `json:"groupFrom"` // digits from which on they are grouped

	SymbolLast bool              `json:"symbolLast"` // the amount comes before its currency
	SymbolGap  string            `json:"symbolGap"`  // between the two; a currency of letters has a space anyway
	Symbols    map[string]string `json:"symbols"`    // of currencies; others are named by their code
	MinorUnits map[string]int    `json:"minorUnits"` // currencies that do not have two decimals

	Months    []string `json:"months"` // January first
	MonthsCut []string `json:"monthsCut"`
	Days      []string `json:"days"` // Sunday first
	DaysCut   []string `json:"daysCut"`

	// Patterns of times. Holes: {weekday} {wd} {d} {m} {month} {mon} {y} {time}.
	Full  string `json:"full"`  // the head of an event
	Year  string `json:"year"`  // short, with the year
	Short string `json:"short"` // short, within this year
}

// JSON is the Format for a script.
func (f *Format) JSON() []byte {
	b, err := json.Marshal(f)
	if err != nil {
		panic("locale: format of " + f.Lang + ": " + err.Error()) // strings and numbers only
	}
	return b
}

// Number writes a whole number.
func (f *Format) Number(n int64) string {
	if n < 0 {
		return "-" + f.Number(-n)
	}
	s := strconv.FormatInt(n, 10)
	if len(s) < f.GroupFrom {
		return f.native(s)
	}
	var groups []string
	for i := 0; ; i++ {
		size := f.Grouping[min(i, len(f.Grouping)-1)]
		if len(s) <= size {
			break
		}
		groups = append([]string{s[len(s)-size:]}, groups...)
		s = s[:len(s)-size]
	}
	return f.native(strings.Join(append([]string{s}, groups...), f.Group))
}

// native writes digits as the language does.
func (f *Format) native(s string) string {
	if f.Digits[0] == '0' {
		return s
	}
	digits := []rune(f.Digits)
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return digits[r-'0']
		}
		return r
	}, s)
}

// Money writes an amount in minor units. There are no decimals when they are
// zero: a list of round prices is read faster.
func (f *Format) Money(amount int64, currency string) string {
	digits, ok := f.MinorUnits[currency]
	if !ok {
		digits = 2
	}
	sign := ""
	if amount < 0 {
		sign, amount = "-", -amount
	}
	if f.RTL {
		sign = "\u200f" + sign // or digits and a sign, which have no direction of their own, would run from left to right
	}
	unit := int64(1)
	for range digits {
		unit *= 10
	}
	number := f.Number(amount / unit)
	if rest := amount % unit; rest != 0 {
		text := strconv.FormatInt(rest, 10)
		number += f.Decimal + f.native(strings.Repeat("0", digits-len(text))+text)
	}
	symbol, ok := f.Symbols[currency]
	if !ok {
		symbol = currency
	}
	gap := f.SymbolGap
	if lettered(symbol) {
		gap = "\u00a0"
	}
	if f.SymbolLast {
		return sign + number + gap + symbol
	}
	return sign + symbol + gap + number
}

// lettered: the symbol would run into a number beside it.
func lettered(symbol string) bool {
	last := symbol[len(symbol)-1]
	return last >= 'a' && last <= 'z' || last >= 'A' && last <= 'Z' || strings.ContainsAny(symbol, "łč.")
}
