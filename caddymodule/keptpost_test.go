package caddymodule

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// form posts a form as a browser does.
func (v *visitorClient) form(uri, body, site string) reply {
	v.e.t.Helper()
	r, err := http.NewRequest("POST", v.e.base()+uri, strings.NewReader(body))
	if err != nil {
		v.e.t.Fatal(err)
	}
	r.Header.Set("Content-Type", formType)
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	r.Header.Set("Sec-Fetch-Mode", "navigate")
	r.Header.Set("Sec-Fetch-Dest", "document")
	r.Header.Set("Sec-Fetch-Site", site)
	resp, err := v.Do(r)
	if err != nil {
		v.e.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		v.e.t.Fatal(err)
	}
	return reply{resp, string(b)}
}

var keptField = regexp.MustCompile(`name="kept" value="([^"]+)"`)

func keptIn(page string) string {
	if m := keptField.FindStringSubmatch(page); m != nil {
		return html.UnescapeString(m[1])
	}
	return ""
}

// W38: a form that was sent when the line stood in the way is kept by its visitor, and sent once, byte for byte, when
// he is in. Nobody else can send it, and nothing of it is in the page to read.
func TestAFormIsKept(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		t.Run(fmt.Sprint("h2 ", h2), func(t *testing.T) {
			e := newEdge(t, roomWith("rate 1000/s", "state paused"), "")
			e.h2 = h2
			const body, uri = "name=Zo%C3%AB&card=4242+4242&x=%2F&x=", "/checkout?step=2"
			v := e.visitor()
			page := v.form(uri, body, "same-origin").want(t, 503)
			kept := keptIn(page.body)
			if kept == "" || strings.Contains(page.body, "4242") || strings.Contains(page.body, `<p class="note">What you had just sent`) {
				t.Fatal("the form is not kept, or can be read")
			}
			again := url.Values{"kept": {kept}}.Encode()
			if p := v.form(reservedPrefix+"main/resume", again, "same-origin").want(t, 503); keptIn(p.body) != kept {
				t.Error("the page after the button does not carry the form on")
			}
			v.form(reservedPrefix+"main/resume", again, "cross-site").want(t, 403)
			thief := e.visitor()
			thief.navigate("/")
			e.admin("resume", "")
			thief.enter("/")
			thief.form(reservedPrefix+"main/resume", again, "same-origin").want(t, http.StatusGone)
			e.until("in", func() bool {
				r := v.form(reservedPrefix+"main/resume", again, "same-origin")
				return r.StatusCode == 200 && strings.Contains(r.body, "Send it now") && r.Header.Get("Ropeline-Answer") == "wait"
			})
			var got string
			var seen *http.Request
			e.origin.answerWith(func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				got, seen = string(b), r
				w.Header().Set("Location", "/thanks")
				w.WriteHeader(http.StatusSeeOther)
			})
			v.form(reservedPrefix+"main/resume", again, "same-origin").want(t, http.StatusSeeOther)
			if got != body || seen.RequestURI != uri || seen.Method != "POST" || seen.Header.Get("Content-Type") != formType || seen.Header.Get("Ropeline-Pass") == "" || strings.Contains(seen.Header.Get("Cookie"), "rl-") {
				t.Errorf("the origin got %q at %s: %v", got, seen.RequestURI, seen.Header)
			}
			v.form(reservedPrefix+"main/resume", again, "same-origin").want(t, http.StatusConflict)
			v.form(reservedPrefix+"main/resume", "kept=x", "same-origin").want(t, http.StatusGone)
		})
	}
}

// What is not kept, the page says: from another site, too long, or no form.
func TestWhatIsNotKept(t *testing.T) { overBoth(t, testWhatIsNotKept) }

func testWhatIsNotKept(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1/h"), "")
	v := e.visitor()
	for name, page := range map[string]reply{
		"cross-site": v.form("/x", "a=1", "cross-site"),
		"too long":   v.form("/x", "a="+strings.Repeat("x", maxForm), "same-origin"),
		"no body":    v.do("POST", "/x", navigation...),
	} {
		if page.StatusCode != 503 || keptIn(page.body) != "" || !strings.Contains(page.body, `<p class="note">What you had just sent`) {
			t.Errorf("%s: %d, kept %q", name, page.StatusCode, keptIn(page.body))
		}
	}
}

// W59: the bank sends its visitor back by a POST, without our cookies; a page of ours posts the same fields again, and
// the origin gets them with the pass.
func TestTheBankSendsBack(t *testing.T) { overBoth(t, testTheBankSendsBack) }

func testTheBankSendsBack(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1000/s", "return_path /pay/back"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	const body = "PaRes=eJx%2Babc%3D&MD=%22%3E%3Cscript%3E&submit=1&empty="
	bank := e.visitor() // what the browser sends: no cookies
	page := bank.form("/pay/back?o=7", body, "cross-site").want(t, 200)
	if page.Header.Get("Cache-Control") != "private, no-store" || page.Header.Get("Set-Cookie") != "" || strings.Contains(page.body, "<script>alert") || !strings.Contains(page.body, `action="/pay/back?o=7"`) {
		t.Errorf("the page: %v\n%s", page.Header, page.body)
	}
	var pairs []string
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`).FindAllStringSubmatch(page.body, -1) {
		pairs = append(pairs, url.QueryEscape(html.UnescapeString(m[1]))+"="+url.QueryEscape(html.UnescapeString(m[2])))
	}
	var got string
	e.origin.answerWith(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got = r.RequestURI + " " + string(b) + " " + fmt.Sprint(r.Header.Get("Ropeline-Pass") != "")
	})
	v.form("/pay/back?o=7", strings.Join(pairs, "&"), "same-origin").want(t, 200)
	if got != "/pay/back?o=7 "+body+" true" {
		t.Errorf("the origin got %q", got)
	}
	bank.form("/pay/elsewhere", body, "cross-site").want(t, 503)
	bank.form("/pay/back/", body, "cross-site").want(t, 503)
}
