package caddymodule

import (
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission"
)

// AT9, AT19: no kind of token works as another, a draw's receipt neither, and nobody can write himself a better place.
func TestOtherTokensAndTamperedClaims(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1/h"), "")
		v := e.visitor()
		v.navigate("/").want(t, 503)
		v.navigate("/").want(t, 503)
		ticket := e.cookie(v, ticketPart)
		receipt := strings.TrimSpace(v.do("GET", reservedPrefix+"main/receipt").want(t, 200).body)
		pass, err := e.room().ring.Load().SignPass(admission.Pass{Room: "main", VID: admission.NewVID(), Epoch: 1, IssuedAt: time.Now(), NotBefore: time.Now(), Expires: time.Now().Add(time.Minute), Hard: time.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(ticket, ".")
		claims, err := base64.RawURLEncoding.DecodeString(parts[1])
		if err != nil || !strings.Contains(string(claims), `"ix":0`) {
			t.Fatalf("%s %v", claims, err)
		}
		tamper := func(old, new string) string {
			return parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(claims), old, new, 1))) + "." + parts[2]
		}
		before := e.joined()
		for name, raw := range map[string]string{
			"a pass": pass, "a receipt": receipt, "negative": tamper(`"ix":0`, `"ix":-5`), "NaN": tamper(`"ix":0`, `"ix":NaN`), "beyond doubles": tamper(`"ix":0`, `"ix":9007199254740993`),
			"infinite": tamper(`"ix":0`, `"ix":1e309`), "other epoch": tamper(`"ep":`, `"ep":7`), "a place": tamper(`"ix":0`, `"ix":0,"pl":0,"n":1`), "somebody else": tamper(`"sub":"`, `"sub":"A`),
		} {
			c := e.visitor()
			c.Jar = nil
			if r := c.do("GET", "/", "Accept", "application/json", "Cookie", e.named(ticketPart, raw)); r.StatusCode != 429 || r.json(t)["index"] != nil {
				t.Errorf("%s as a ticket: %d %s", name, r.StatusCode, r.body)
			}
		}
		for name, raw := range map[string]string{"a ticket": ticket, "a receipt": receipt} {
			if r := e.visitor().do("GET", "/", "Accept", "application/json", "Cookie", e.named(passPart, raw)+"; "+e.named(ticketPart, ticket)); r.StatusCode != 429 {
				t.Errorf("%s as a pass: %d", name, r.StatusCode)
			}
		}
		if n := e.joined(); n != before || len(e.origin.requests()) != 0 {
			t.Errorf("%d places more; the origin saw %d", n-before, len(e.origin.requests()))
		}
	})
}

// AT12: what is too long is refused or waits, and costs next to nothing.
func TestEnormousTokens(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1/h"), "")
		for name, header := range map[string][]string{
			"16 KiB cookie": {"Cookie", e.named(ticketPart, strings.Repeat("a", 16<<10))}, "1 MiB Authorization": {"Authorization", "Bearer " + strings.Repeat("a", 1<<20)},
			"a million dots": {"Ropeline-Ticket", strings.Repeat(".", 1<<20)}, "as much as fits": {"Cookie", e.named(ticketPart, strings.Repeat(".", 14<<10))},
		} {
			req, _ := http.NewRequest("GET", e.base()+"/", nil)
			req.Header.Set(header[0], header[1])
			resp, err := e.visitor().Do(req)
			if err != nil {
				continue // HTTP/2 closes the connection, or the client is told the limit and keeps it
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge && resp.StatusCode != http.StatusTooManyRequests {
				t.Errorf("%s: %d", name, resp.StatusCode)
			}
		}
		if n := len(e.origin.requests()) + e.joined(); n != 0 {
			t.Errorf("%d requests at the origin and places", n)
		}
		ring := e.room().ring.Load()
		var a, b runtime.MemStats
		big := strings.Repeat(".", 1<<20)
		runtime.ReadMemStats(&a)
		for range 10 {
			if _, err := ring.VerifyTicket(big, "main", time.Now()); err == nil {
				t.Fatal("accepted")
			}
			if _, err := ring.VerifyPass(big, "main", time.Now()); err == nil {
				t.Fatal("accepted")
			}
		}
		runtime.ReadMemStats(&b)
		if each := (b.TotalAlloc - a.TotalAlloc) / 10; each > 64<<10 { // the edge's own loops allocate meanwhile too
			t.Errorf("%d bytes were allocated for one", each)
		}
	})
}

// AT14, W22: a ticket that comes fifty times at once: one session while it lives; afterwards the place is spent, in the
// same words each time and without asking the store.
func TestOneTicketFiftyTimesAtOnce(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		log := filepath.Join(t.TempDir(), "grants.jsonl")
		e := o.edge(t, roomWith("rate 1000/s", "grant_log "+log), "")
		v := e.visitor()
		v.navigate("/").want(t, 503)
		v.enter("/")
		ticket := e.cookie(v, ticketPart)
		fifty := func() (codes map[int]int, vids map[string]bool) {
			codes, vids = map[int]int{}, map[string]bool{}
			var mu sync.Mutex
			var wg sync.WaitGroup
			c := e.visitor()
			for range 50 {
				wg.Go(func() {
					r := c.do("POST", reservedPrefix+"main/enter", "Ropeline-Ticket", ticket)
					mu.Lock()
					defer mu.Unlock()
					codes[r.StatusCode]++
					if r.StatusCode == http.StatusConflict && (r.json(t)["state"] != "used" || r.json(t)["code"] != "already_used") {
						t.Errorf("%s", r.body)
					}
					if raw := r.Header.Get("Ropeline-Pass"); raw != "" {
						p, err := e.room().ring.Load().VerifyPass(raw, "main", e.room().now())
						if err != nil {
							t.Error(err)
						}
						vids[string(p.VID)] = true
					}
				})
			}
			wg.Wait()
			return codes, vids
		}
		if codes, vids := fifty(); codes[200] == 0 || codes[200]+codes[429] != 50 || len(vids) != 1 {
			t.Errorf("while the session lives: %v, %d sessions", codes, len(vids))
		}
		v.post("leave").want(t, 200)
		e.until("known to be spent", func() bool {
			return e.visitor().do("POST", reservedPrefix+"main/enter", "Ropeline-Ticket", ticket).StatusCode == 409
		})
		if codes, _ := fifty(); codes[409] != 50 {
			t.Errorf("after the end: %v", codes)
		}
		if b, err := os.ReadFile(log); err != nil || strings.Count(string(b), `"event":"grant"`) != 1 {
			t.Errorf("%v: grants:\n%s", err, b)
		}
	})
}

// AT17, W54: what the key before signed is good inside the overlap; outside of it a pass is refused, and its visitor
// goes on in the same session by the ticket.
func TestTokensOfThePreviousKey(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s"), "")
		v, waits := e.visitor(), e.visitor()
		v.navigate("/")
		v.enter("/")
		old, vid := e.cookie(v, passPart), ticketOf(e, v).VID
		e.admin("pause", "")
		waits.navigate("/").want(t, 503)
		dir, index := filepath.Join(e.dir, "keys"), ticketIndex(e, waits)
		if _, err := admission.RotateKey(dir, admission.UseTicket, time.Now()); err != nil {
			t.Fatal(err)
		}
		ring := e.room().ring.Load()
		e.until("inside the overlap", func() bool { return e.room().ring.Load() != ring })
		v.navigate("/").want(t, 200)
		if m := waits.do("GET", "/", "Accept", "application/json").want(t, 429).json(t); m["index"] != float64(index) {
			t.Errorf("a ticket of the key before stands at %v, not %d", m["index"], index)
		}
		if _, err := admission.RotateKey(dir, admission.UsePass, time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
		e.until("outside of it", func() bool { return v.do("GET", "/", "Accept", "application/json").StatusCode == 429 })
		v.enter("/")
		v.navigate("/").want(t, 200)
		if e.cookie(v, passPart) == old || ticketOf(e, v).VID != vid || e.snapshot().Live != 1 {
			t.Errorf("another session: %d are live", e.snapshot().Live)
		}
	})
}
