package main

import (
	"strings"
	"testing"
)

// TestConfiguration: each error is one line that names the variable and the cure.
func TestConfiguration(t *testing.T) {
	for _, tc := range []struct {
		name, value, want string
	}{
		{"FAKEPAY_LISTEN", "9100", "host:port"},
		{"FAKEPAY_LATENCY", "80", "duration such as 80ms"},
		{"FAKEPAY_LATENCY", "-1s", "between"},
		{"FAKEPAY_P99", "3", "duration such as 80ms"},
		{"FAKEPAY_P99", "2h", "between"},
		{"FAKEPAY_WEBHOOK_URL", "localhost/x", "http address"},
	} {
		t.Run(tc.name+"="+tc.value, func(t *testing.T) {
			t.Setenv("FAKEPAY_WEBHOOK_SECRET", "x")
			t.Setenv(tc.name, tc.value)
			_, err := load()
			if err == nil || !strings.HasPrefix(err.Error(), tc.name+":") || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%v; want %s and %q", err, tc.name, tc.want)
			}
		})
	}
	t.Run("secret missing", func(t *testing.T) {
		t.Setenv("FAKEPAY_WEBHOOK_URL", "http://127.0.0.1:9000/webhooks/fakepay")
		if _, err := load(); err == nil || !strings.HasPrefix(err.Error(), "FAKEPAY_WEBHOOK_SECRET:") {
			t.Fatal(err)
		}
	})
	t.Run("defaults", func(t *testing.T) {
		if c, err := load(); err != nil || c.Listen != "127.0.0.1:9100" {
			t.Fatalf("%+v %v", c, err)
		}
	})
}

func TestMisspeltVariablesAreNamed(t *testing.T) {
	got := unknown([]string{"FAKEPAY_LATENCI=80ms", "FAKEPAY_LATENCY=80ms", "FAKEPAY_LISTEN=:1", "FAKEPAY_WEBHOOK_URL=x", "FAKEPAY_WEBHOOK_SECRET=x", "FAKEPAY_DATA=x", "PATH=/bin"})
	if len(got) != 1 || got[0] != "FAKEPAY_LATENCI" {
		t.Errorf("%v are called unknown", got)
	}
}
