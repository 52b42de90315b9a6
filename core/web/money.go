package web

import (
	"fmt"
	"strings"
)

// Money is an amount in minor units of a currency.
type Money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

// minorDigits lists the ISO 4217 currencies that do not have two.
var minorDigits = map[string]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0,
	"RWF": 0, "UGX": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
}

// symbols are those browsers write in English; one of letters keeps its distance.
var symbols = map[string]string{
	"EUR": "€", "GBP": "£", "USD": "$", "JPY": "¥", "INR": "₹", "KRW": "₩", "UAH": "₴",
	"PLN": "zł\u00a0", "CZK": "Kč\u00a0", "SEK": "kr\u00a0", "NOK": "kr\u00a0", "DKK": "kr\u00a0", "HUF": "Ft\u00a0",
}

// String writes the amount as money.js does: symbol first, and no decimals when
// they are zero, because a list of round prices is read faster.
func (m Money) String() string {
	digits, ok := minorDigits[m.Currency]
	if !ok {
		digits = 2
	}
	sign, amount := "", m.Amount
	if amount < 0 {
		sign, amount = "-", -amount
	}
	unit := int64(1)
	for range digits {
		unit *= 10
	}
	number := thousands(amount / unit)
	if rest := amount % unit; rest != 0 {
		number += fmt.Sprintf(".%0*d", digits, rest)
	}
	if s, ok := symbols[m.Currency]; ok {
		return sign + s + number
	}
	return sign + m.Currency + "\u00a0" + number
}

func thousands(n int64) string {
	s := fmt.Sprint(n)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}
