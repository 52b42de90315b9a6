package money

// Currency is an ISO 4217 code.
type Currency string

// exponents are ISO 4217's minor units. A currency that is not here is refused at
// import: guessing 2 for an unknown one would be wrong by a factor of 100 or 10.
var exponents = map[Currency]int{
	"AED": 2, "ARS": 2, "AUD": 2, "BGN": 2, "BHD": 3, "BRL": 2, "CAD": 2, "CHF": 2, "CLP": 0, "CNY": 2,
	"COP": 2, "CZK": 2, "DKK": 2, "EGP": 2, "EUR": 2, "GBP": 2, "HKD": 2, "HUF": 2, "IDR": 2, "ILS": 2,
	"INR": 2, "ISK": 0, "JOD": 3, "JPY": 0, "KES": 2, "KRW": 0, "KWD": 3, "MAD": 2, "MXN": 2, "MYR": 2,
	"NGN": 2, "NOK": 2, "NZD": 2, "OMR": 3, "PEN": 2, "PHP": 2, "PLN": 2, "QAR": 2, "RON": 2, "RSD": 2,
	"SAR": 2, "SEK": 2, "SGD": 2, "THB": 2, "TND": 3, "TRY": 2, "TWD": 2, "UAH": 2, "USD": 2, "VND": 0, "ZAR": 2,
}

// Known tells whether the currency's exponent is known.
func (c Currency) Known() bool { _, ok := exponents[c]; return ok }

// Exponent is the number of digits after the point: 0, 2 or 3.
func (c Currency) Exponent() int { return exponents[c] }
