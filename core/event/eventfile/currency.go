package eventfile

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ropeline/ropeline/core/money"
)

// knownCurrency: a currency whose exponent we do not know cannot be shown or sold.
func knownCurrency(code string) bool { return money.Currency(code).Known() }

// amount reads minor units. Who writes 19.00 or 19,00 is told the number that means it
// in the event's currency, and is not taken at the word: a file that has some prices with
// a point and others without is wrong in one of them by a factor of 100.
func (f *fields) amount(key, currency string) int64 {
	n := f.get(key)
	if n == nil {
		return 0
	}
	var text string
	switch v := n.val.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	}
	point := strings.Replace(text, ",", ".", 1)
	if !strings.Contains(point, ".") || strings.Trim(point, "0123456789.") != "" {
		return f.integer(key, 0, 0, maxAmount)
	}
	cure := "4500 for 45.00 EUR"
	if a, err := money.Parse(point, money.Currency(currency)); err == nil && knownCurrency(currency) {
		cure = fmt.Sprintf("%d for %s", a.Minor, a)
	}
	f.addf(key, "is %s; write minor units without a comma or point, as in %s", text, cure)
	return 0
}
