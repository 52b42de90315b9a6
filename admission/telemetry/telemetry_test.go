package telemetry

import (
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	const head = `"instance":"a","started_at":"2026-06-01T18:00:00Z","at":"2026-06-01T18:00:02Z"`
	a, err := Decode(strings.NewReader(`{` + head + `,"resources":{"db":{"busy_seconds":1.5,"capacity":20,"completed":{"hold":3}}},"stock":{"available":2,"total":2}}`))
	if err != nil {
		t.Fatal(err)
	}
	if r := a.Resources["db"]; r.BusySeconds != 1.5 || r.Capacity != 20 || r.Completed["hold"] != 3 || a.Stock.Available != 2 || a.LockWait != nil {
		t.Errorf("read as %+v", a)
	}
	for body, names := range map[string]string{
		`{}`:                                    "instance",
		`{"instance":"a"}`:                      "started_at",
		`[1]`:                                   "JSON",
		`{` + head + `,"lock_wait_seconds":-1}`: "lock_wait_seconds",
		`{` + head + `,"resources":{"db":{"busy_seconds":-1}}}`:                   "resources.db.busy_seconds",
		`{` + head + `,"resources":{"db":{"completed":{"pay":-2}}}}`:              "resources.db.completed.pay",
		`{` + head + `,"stock":{"held":-1}}`:                                      "stock",
		`{` + head + `,"stock":{"expiring":[0,-1]}}`:                              "stock.expiring[1]",
		`{"x":"` + strings.Repeat("y", MaxBytes) + `",` + head + `}`:              "at most",
		`{` + strings.Replace(head, "2026-06-01T18:00:02Z", "yesterday", 1) + `}`: "JSON",
	} {
		if _, err := Decode(strings.NewReader(body)); err == nil || !strings.Contains(err.Error(), names) {
			t.Errorf("%.60s: %v, want it to name %s", body, err, names)
		}
	}
}
