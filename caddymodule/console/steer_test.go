package console

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ropeline/ropeline/admission/pace/report"
	"github.com/ropeline/ropeline/deploy/chromium"
)

const patience = time.Minute

func at(t *testing.T, d *desk, room string) context.Context {
	t.Helper()
	ctx := chromium.Tab(t, patience)
	run(t, ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(d.URL+"/ropeline/console#"+room), becomes(`document.getElementById('title').textContent === 'Room `+room+`' && !!document.getElementById('apply')`))
	return ctx
}

// keys types into what has the focus.
func keys(names ...string) (list []chromedp.Action[chromedp.Void]) {
	for _, k := range names {
		list = append(list, chromedp.KeyEvent(k))
	}
	return list
}

const focused = `document.activeElement.name || document.activeElement.id || document.activeElement.textContent`

// A person without a mouse pins the rate: nothing is applied before it was looked at, nor without a name and a reason.
func TestAPinByKeyboard(t *testing.T) {
	d := open(t, example(t, "main", auto))
	ctx := at(t, d, "main")
	run(t, ctx, chromedp.Focus(`input[value=pin]`))
	run(t, ctx, keys(kb.Tab)...)
	if got := value(t, ctx, chromedp.Evaluate[string](focused)); got != "rate" {
		t.Fatalf("after the mode the focus is on %q", got)
	}
	run(t, ctx, keys(kb.Enter)...) // an empty form, sent
	run(t, ctx, becomes(`/above 0/.test(document.getElementById('told').textContent) && document.activeElement.name === 'rate'`))
	run(t, ctx, keys("2", ",", "5", kb.Enter)...)
	run(t, ctx, becomes(`/who you are/.test(document.getElementById('told').textContent) && document.activeElement.name === 'who'`))
	run(t, ctx, keys("A", "n", "n", "a", kb.Enter)...)
	run(t, ctx, becomes(`/Say why/.test(document.getElementById('told').textContent) && document.activeElement.name === 'why'`))
	if got := d.told(); len(got) != 0 {
		t.Fatalf("sent without name or reason: %v", got)
	}
	run(t, ctx, keys("s", "l", "o", "w", kb.Enter)...)
	run(t, ctx, becomes(`/would be pinned.*payment: at most 40/s.test(document.getElementById('told').textContent) && !document.getElementById('apply').disabled`))
	// What was previewed is what is applied: a change takes the button away.
	run(t, ctx, keys("!")...)
	run(t, ctx, becomes(`document.getElementById('apply').disabled`))
	run(t, ctx, keys(kb.Backspace)...)
	run(t, ctx, becomes(`!document.getElementById('apply').disabled`))
	run(t, ctx, keys(kb.Tab, kb.Tab)...)
	if got := value(t, ctx, chromedp.Evaluate[string](focused)); got != "apply" {
		t.Fatalf("after the reason and the preview the focus is on %q", got)
	}
	run(t, ctx, keys(kb.Enter)...)
	run(t, ctx, becomes(`/pinned to 2.5 people a second by Anna/.test(document.getElementById('inforce').textContent)`))
	got := d.told()
	if len(got) != 2 || !strings.HasPrefix(got[0], "preview=1 ") || strings.TrimPrefix(got[0], "preview=1") != got[1] {
		t.Fatalf("preview and order: %q", got)
	}
	var o report.Order
	if err := json.Unmarshal([]byte(got[1]), &o); err != nil || o != (report.Order{Mode: report.Pin, Rate: 2.5, Who: "Anna", Why: "slow", For: "15m"}) {
		t.Errorf("%+v, %v", o, err)
	}
	// And back: one button, which needs no reason.
	run(t, ctx, chromedp.Click("#back"), becomes(`document.getElementById('inforce').textContent === ''`))
	if got = d.told(); len(got) != 3 || !strings.Contains(got[2], `"mode":"auto"`) {
		t.Errorf("the return: %q", got)
	}
}

// What the edge refuses is said, and stays unapplied.
func TestARefusedPreview(t *testing.T) {
	d := open(t, example(t, "main", auto))
	d.refuse = "the room is closed"
	ctx := at(t, d, "main")
	run(t, ctx, chromedp.Click(`input[value=pause]`), chromedp.Focus(`input[name=who]`))
	run(t, ctx, keys("A", kb.Tab, "b", kb.Enter)...)
	run(t, ctx, becomes(`document.getElementById('told').textContent === 'the room is closed' && document.getElementById('apply').disabled`))
}

// The smallest limit stands first and is the marked one; the number is what the door lets in.
func TestTheSmallestLimitExplainsTheNumber(t *testing.T) {
	d := open(t, states(t)...)
	for room, want := range map[string][3]string{
		"calm": {"db", "6.42", "Db can do 76.1 units"}, "slow-payment": {"payment", "1.12", "Payment can do 4.21 units"},
		"pinned": {"pin", "4", "Pinned by ops@gate1"}, "stale": {"stale", "3.1", "The origin's telemetry has stopped"}, "shadow": {"db", "6.42", "Db can do"},
	} {
		ctx := at(t, d, room)
		row := value(t, ctx, chromedp.Evaluate[[]string](`Array.from(document.querySelectorAll('#limits tbody tr'), r => r.className + ' ' + r.cells[0].textContent + ' ' + parseFloat(r.cells[2].textContent))`))
		if len(row) == 0 || row[0] != "least "+want[0]+" "+want[1] {
			t.Errorf("%s: limits %v", room, row)
		}
		for _, other := range row[1:] {
			if strings.HasPrefix(other, "least") {
				t.Errorf("%s: another limit is marked: %s", room, other)
			}
		}
		if got := text(t, ctx, "rate"); got != want[1] {
			t.Errorf("%s: the number is %s", room, got)
		}
		if got := text(t, ctx, "sentence"); !strings.HasPrefix(got, want[2]) {
			t.Errorf("%s: %s", room, got)
		}
	}
}

// A reason is what its author wrote, and never a part of the page; the policy would stop it anyway.
func TestWordsOfOthersAreText(t *testing.T) {
	const evil = `<img src=x onerror="document.title='bad'"><script>document.title='bad'</script>`
	d := open(t, example(t, "main", func(doc *report.Document) {
		doc.Override.Who, doc.Override.Why, doc.Sentence, doc.Signals[0].Detail, doc.Reason = evil, evil, evil, evil, evil
		doc.Limits = map[string]float64{evil: 1}
		doc.History[50].Reason, doc.Resources[0].Name = evil, evil
	}))
	ctx := at(t, d, "main")
	if got := text(t, ctx, "inforce"); !strings.Contains(got, evil) {
		t.Errorf("the reason reads %q", got)
	}
	if n := value(t, ctx, chromedp.Evaluate[int](`document.querySelectorAll('main img, main script').length + (document.title === 'bad')`)); n != 0 {
		t.Errorf("%d foreign elements in the page", n)
	}
	for _, part := range strings.Split(Policy, "; ") {
		if strings.Contains(part, "unsafe") || strings.HasPrefix(part, "script-src") && !strings.Contains(part, "'sha256-") {
			t.Errorf("the policy says %s", part)
		}
	}
}

// Another room is one click away, by its name in the address; an edge that is gone is said, and comes back by itself.
func TestRoomsAndTrouble(t *testing.T) {
	d := open(t, states(t)...)
	ctx := at(t, d, "calm")
	run(t, ctx, chromedp.Click(`a[href="#pinned"]`), becomes(`document.getElementById('title').textContent === 'Room pinned' && document.querySelector('#rooms [aria-current]').textContent === 'pinned'`))
	d.change(func() { d.gone = true })
	run(t, ctx, becomes(`!document.getElementById('trouble').hidden && /the store is away/.test(document.getElementById('trouble').textContent)`))
	d.change(func() { d.gone = false })
	run(t, ctx, becomes(`document.getElementById('trouble').hidden`))
	// A new reason is read out, a new number is not.
	was := text(t, ctx, "said")
	d.change(func() { d.docs["pinned"].Rate = 5 })
	run(t, ctx, becomes(`document.getElementById('rate').textContent === '4'`))
	if got := text(t, ctx, "said"); got != was {
		t.Errorf("a number is read out: %s", got)
	}
	d.change(func() {
		d.docs["pinned"].Reason, d.docs["pinned"].Sentence = "brake", "0.1 people a second: the origin is failing"
	})
	run(t, ctx, becomes(`/pinned: .*failing/.test(document.getElementById('said').textContent)`))
}

// It needs nothing from elsewhere, and no other page may hold it.
func TestThePageStandsAlone(t *testing.T) {
	w := httptest.NewRecorder()
	ServeHTTP(w, httptest.NewRequest("GET", "/ropeline/console", nil))
	body := w.Body.String()
	for _, no := range []string{"<link rel=\"stylesheet", " src=", "@import", "url(", "innerHTML", "eval(", "{{"} {
		if strings.Contains(body, no) {
			t.Errorf("the page contains %q", no)
		}
	}
	for name, want := range map[string]string{"X-Frame-Options": "DENY", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "frame-ancestors 'none'"} {
		if got := w.Header().Get(name); !strings.Contains(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if len(body) > 64<<10 {
		t.Errorf("%d bytes", len(body))
	}
}
