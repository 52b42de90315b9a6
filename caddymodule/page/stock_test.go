package page

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// What is left is said alike by script and server, in every language; a seat in a basket is never called sold, and a word
// that is too old is not said at all.
func TestStockIsSaidAlike(t *testing.T) {
	said := inBrowser[map[string]string](t, `var out = {};
for (var lang in T) {
  [['open', 0], ['last_seats', 0], ['all_held', 0], ['all_held', 252000], ['sold_out', 0]].forEach(function (s) {
    out[lang + ' ' + s[0] + ' ' + s[1]] = left({ stock: { state: s[0], available: 1412, back_at: s[1] && 1000 + s[1], until: 5000 } }, 2307, 1000, T[lang]);
  });
  out[lang + ' old 0'] = left({ stock: { state: 'sold_out', until: 5000 } }, 1, 5001, T[lang]);
  out[lang + ' none 0'] = left({ stock: null }, 1, 5001, T[lang]);
}
return out;`)
	now := time.UnixMilli(1000)
	for key, got := range said {
		var lang, state string
		var back int64
		fmt.Sscanf(key, "%s %s %d", &lang, &state, &back)
		table := Default().tables[lang]
		s := Stock{State: state, Available: 1412}
		if back > 0 {
			s.BackAt = now.Add(time.Duration(back) * time.Millisecond)
		}
		if want := table.left(s, 2307, now); got != want {
			t.Errorf("%s: the script says %q, the server %q", key, got, want)
		}
		if sold := got == table.words["sold_outText"]; sold != (state == "sold_out") || (got == "") != (state == "open" || state == "old" || state == "none") {
			t.Errorf("%s is said as %q", key, got)
		}
	}
	if got := said["en all_held 252000"]; !strings.HasSuffix(got, "The next may come back in 04:12.") {
		t.Errorf("%q", got)
	}
	if got := said["en last_seats 0"]; got != "Seats left: about 1,412. People ahead of you: 2,307." {
		t.Errorf("%q", got)
	}
}
