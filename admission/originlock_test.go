package admission

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// AH1, AH3: the lock opens to either of two secrets and to nothing else.
func TestOriginLock(t *testing.T) {
	const old, fresh = "0123456789abcdef-old", "0123456789abcdef-new"
	l, err := NewOriginLock(fresh, old)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		given []string
		want  bool
	}{
		{[]string{old}, true}, {[]string{fresh}, true}, {nil, false}, {[]string{""}, false}, {[]string{old + " "}, false},
		{[]string{old[:19]}, false}, {[]string{strings.ToUpper(old)}, false}, {[]string{old, fresh}, false}, {[]string{"x", old}, false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header[OriginSecretHeader] = c.given
		if got := l.Opens(r); got != c.want {
			t.Errorf("%q: %v", c.given, got)
		}
	}
	for _, bad := range [][]string{{}, {"short"}, {old, fresh, "0123456789abcdef-third"}, {"with a space in the middle"}, {"with\r\nbreaks-in-the-middle"}, {strings.Repeat("x", 257)}} {
		if _, err := NewOriginLock(bad...); err == nil || !strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
