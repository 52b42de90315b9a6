package page

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ropeline/ropeline/deploy/chromium"
)

// inBrowser runs the script's rules, which touch neither the page nor a clock, and returns what the code says.
func inBrowser[T any](t *testing.T, code string) T {
	t.Helper()
	ctx := chromium.Tab(t, 2*time.Minute)
	run(t, ctx, chromedp.Navigate("about:blank"))
	texts := "{"
	for lang, table := range Default().tables {
		texts += fmt.Sprintf("%s:%s,", lang, table.boot)
	}
	return value(t, ctx, chromedp.Evaluate[T]("(function(){"+rulesJS+workJS+"var T="+texts+"};"+code+"})()", chromedp.EvalAwaitPromise))
}

// What the script says is what the server had said, in every language.
func TestScriptAndServerSayTheSame(t *testing.T) {
	said := inBrowser[map[string]string](t, `var out = {};
for (var lang in T) {
  [0, 1, 7, 12, 999, 1000, 9999, 10000, 1234567].forEach(function (n) { out[lang + ' n ' + n] = number(n, T[lang]); out[lang + ' ahead ' + n] = fill(form(T[lang].ahead, n, lang), {n: number(n, T[lang])}); out[lang + ' rate ' + n] = fill(form(T[lang].rateValue, n, lang), {n: number(n, T[lang])}); });
  [[0, 5], [0, 60], [0, 61], [60, 120], [70, 100], [120, 120], [130, 200], [650, 900], [5000, 9000], [30, -1], [300, -1], [7200, 86000]].forEach(function (w) { out[lang + ' w ' + w.join(' ')] = span(w[0], w[1], T[lang], lang); });
  [0, 999, 61000, 3605000].forEach(function (ms) { out[lang + ' c ' + ms] = clock(ms, T[lang]); });
}
return out;`)
	if len(said) < 5*40 {
		t.Fatalf("%d answers", len(said))
	}
	for key, got := range said {
		var lang, what string
		var a, b int64
		fmt.Sscanf(key, "%s %s %d %d", &lang, &what, &a, &b)
		table := Default().tables[lang]
		want := map[string]func() string{"n": func() string { return table.number(a) }, "ahead": func() string { return table.count("ahead", a) }, "rate": func() string { return table.count("rateValue", a) },
			"w": func() string { return table.span(a, b) }, "c": func() string { return table.countdown(time.Duration(a) * time.Millisecond) }}[what]()
		if got != want {
			t.Errorf("%s: the script says %q, the server %q", key, got, want)
		}
	}
}

// W53: over ten thousand random courses of a line the high end that is shown never rises without a reason beside it, and
// the shown range always holds what the estimate says, but for noise of a fifth and 20 s.
func TestTheShownRangeNeverRisesWithoutAReason(t *testing.T) {
	bad := inBrowser[[]string](t, `var seed = 7, bad = [], rises = 0;
function rnd() { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648; }
for (var run = 0; run < 10000 && bad.length < 3; run++) {
  var said = null, ahead = Math.floor(rnd() * 5000), rate = 1 + rnd() * 50, pace = rate, shown = -1, stopped = false;
  for (var i = 0; i < 40; i++) {
    if (rnd() < .1) rate = 1 + rnd() * 50;
    if (rnd() < .2) pace = rnd() < .2 ? 0 : rate * (.2 + rnd());
    ahead = Math.max(0, ahead - Math.floor(rnd() * 60));
    var e = estimate({ rate: rate, pace: pace, ahead_share: rnd() }, ahead);
    said = promise(said, e, rate);
    var rose = said.high < 0 || shown >= 0 && said.high > shown + 1e-9;
    if (rose) rises++;
    if (rose && !said.why) bad.push('rose from ' + shown + ' to ' + JSON.stringify(said));
    if (said.high >= 0 && e.high >= 0 && (said.high < e.high / 1.2 - 20 || said.low > e.low + 1e-9)) bad.push('said ' + JSON.stringify(said) + ' while it is ' + JSON.stringify(e));
    if (said.high >= 0) shown = said.high;
  }
}
if (rises < 1000) bad.push('only ' + rises + ' rises: the test tests nothing');
return bad;`)
	if len(bad) > 0 {
		t.Error(strings.Join(bad, "\n"))
	}
}

// W55: a hundred thousand people wait through the opening. In no second do they ask more than twice as often as in the
// steady minute before it.
func TestTheOpeningIsNoStampede(t *testing.T) {
	r := inBrowser[struct{ Steady, Peak float64 }](t, `var n = 100000, opens = 120000, end = 180000, per = new Array(181).fill(0);
for (var i = 0; i < n; i++) {
  var at = Math.random() * 60000, place = -1;
  while (at < end) {
    per[Math.floor(at / 1000)]++;
    var s = at < opens ? 'prequeue' : at < opens + 4000 ? 'drawing' : 'waiting';
    var doc = { joined: n, opens_at: opens, rate: 20 };
    at += interval(doc, s, place, place < 0 ? 0 : place, false) * (0.9 + Math.random() * 0.2);
    if (s === 'waiting') place = i;
  }
}
var steady = per.slice(70, 115).reduce(function (a, b) { return a + b; }) / 45;
return { Steady: steady, Peak: Math.max.apply(null, per.slice(118, 175)) };`)
	if r.Steady < 1000 || r.Peak > 2*r.Steady {
		t.Errorf("steady %.0f a second, %.0f at the opening", r.Steady, r.Peak)
	}
	t.Logf("steady %.0f a second, at most %.0f at the opening", r.Steady, r.Peak)
}

// Keyboard alone: Tab goes through all there is to press, in the order of the page, and each place is seen. No motion for
// those who want none. What can be pressed is at least 24 CSS pixels in both directions (WCAG 2.2, 2.5.8).
func TestByKeyboardAlone(t *testing.T) {
	site := gallery(t, Default())
	ctx := chromium.Tab(t, time.Minute)
	for state, want := range map[string][]string{"waiting": {"bell", "SUMMARY"}, "prequeue": {"bell", "SUMMARY", "A", "A"}, "invited": {"code", "BUTTON"}, "identify": {"A"}, "kept": {"BUTTON", "SUMMARY"}, "fresh": {"btn"}} {
		run(t, ctx, media("prefers-reduced-motion", "reduce"), chromedp.Navigate(site+"/"+state+"/en"), settled(state))
		for i, id := range want {
			run(t, ctx, chromedp.KeyEvent(kb.Tab))
			got := value(t, ctx, chromedp.Evaluate[string](`(e => (e.id || e.tagName) + (getComputedStyle(e).outlineStyle === 'none' ? ' unseen' : '') + (e.getBoundingClientRect().height < 24 ? ' small' : ''))(document.activeElement)`))
			if got != id {
				t.Errorf("%s: Tab %d leads to %s, want %s", state, i+1, got, id)
			}
		}
		if moving := value(t, ctx, chromedp.Evaluate[int](`document.getAnimations().length`)); moving > 0 {
			t.Errorf("%s: %d animations for somebody who wants none", state, moving)
		}
	}
	// The bell is a switch that a key can press; it asks for nothing before that.
	run(t, ctx, chromedp.Navigate(site+"/waiting/en"), settled("waiting"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(" "))
	run(t, ctx, becomes(`document.getElementById('bell').getAttribute('aria-pressed') === 'true' && /sound/.test(document.getElementById('bell').textContent)`))
}
