package locale

import (
	"strings"
	"testing"
	"time"
)

func TestMoney(t *testing.T) {
	for _, c := range []struct {
		lang     string
		amount   int64
		currency string
		want     string
	}{
		{"en", 18900, "EUR", "€189"}, {"en", 1490, "EUR", "€14.90"}, {"en", 5, "EUR", "€0.05"}, {"en", 0, "EUR", "€0"},
		{"en", 12000, "JPY", "¥12,000"}, {"en", 1500, "KWD", "KWD\u00a01.500"}, {"en", -250, "USD", "-$2.50"},
		{"en", 49900, "PLN", "zł\u00a0499"}, {"en", 49900, "CHF", "CHF\u00a0499"}, {"en", 123456789, "USD", "$1,234,567.89"},
		{"es", 18900, "EUR", "189\u00a0€"}, {"es", 149990, "EUR", "1499,90\u00a0€"}, {"es", 1500000, "EUR", "15.000\u00a0€"},
		{"zh", 18900, "CNY", "¥189"}, {"zh", 12000, "JPY", "JP¥12,000"},
		{"bn", 12345600, "BDT", "১,২৩,৪৫৬৳"}, {"bn", 1490, "CHF", "১৪.৯০\u00a0CHF"},
		{"ar", 149050, "EUR", "\u200f١٬٤٩٠٫٥٠\u00a0€"}, {"ar", 18600, "KWD", "\u200f١٨٫٦٠٠\u00a0د.ك."},
	} {
		if got := Of(c.lang).Money(c.amount, c.currency); got != c.want {
			t.Errorf("%s %d %s: %q, want %q", c.lang, c.amount, c.currency, got, c.want)
		}
	}
}

func TestTimes(t *testing.T) {
	at := In(time.Date(2027, 5, 14, 1, 40, 0, 0, time.UTC), "Asia/Tokyo")
	for lang, want := range map[string][3]string{
		"en": {"Friday 14 May 2027, 10:40", "Fri 14 May 2027, 10:40", "Fri 14 May, 10:40"},
		"es": {"viernes, 14 de mayo de 2027, 10:40", "vie, 14 may 2027, 10:40", "vie, 14 may, 10:40"},
		"zh": {"2027年5月14日 星期五 10:40", "2027年5月14日 周五 10:40", "5月14日 周五 10:40"},
		"bn": {"শুক্রবার, ১৪ মে ২০২৭, ১০:৪০", "শুক্র, ১৪ মে ২০২৭, ১০:৪০", "শুক্র, ১৪ মে, ১০:৪০"},
		"ar": {"الجمعة، ١٤ مايو ٢٠٢٧، ١٠:٤٠", "الجمعة، ١٤ مايو ٢٠٢٧، ١٠:٤٠", "الجمعة، ١٤ مايو، ١٠:٤٠"},
	} {
		f := Of(lang)
		if got := [3]string{f.When(f.Full, at), f.When(f.Year, at), f.When(f.Short, at)}; got != want {
			t.Errorf("%s: %q, want %q", lang, got, want)
		}
	}
	if got := In(at, "Not/AZone").Format("15:04 MST"); got != "01:40 UTC" {
		t.Errorf("an unknown zone: %s", got)
	}
}

// Every language has twelve months, seven days and ten digits, and its patterns fill every hole.
func TestFormatsAreWhole(t *testing.T) {
	for _, lang := range Languages {
		f := Of(lang)
		if f.Lang != lang || len(f.Months) != 12 || len(f.MonthsCut) != 12 || len(f.Days) != 7 || len(f.DaysCut) != 7 || len([]rune(f.Digits)) != 10 || Names[lang] == "" {
			t.Errorf("%s is not whole: %+v", lang, f)
		}
		for _, pattern := range []string{f.Full, f.Year, f.Short} {
			if got := f.When(pattern, time.Now()); strings.ContainsAny(got, "{}") || !strings.Contains(pattern, "{time}") {
				t.Errorf("%s: %q gives %q", lang, pattern, got)
			}
		}
	}
}
