package eventfile

func knownCurrency(code string) bool { return len(code) == 3 }
