package eventfile

import "github.com/ropeline/ropeline/core/money"

// knownCurrency: a currency whose exponent we do not know cannot be shown or sold.
func knownCurrency(code string) bool { return money.Currency(code).Known() }
