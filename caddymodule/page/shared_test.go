package page

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/deploy/chromium"
)

func sharedPages(t *testing.T, title string) *Shared {
	t.Helper()
	p, err := Default().Shared("main", title, "/.well-known/ropeline/main/")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What a cache gives to everybody is at most 15 KB, in every language, named by its content, and says without JavaScript what
// it can do and what it cannot.
func TestSharedPages(t *testing.T) {
	p := sharedPages(t, "Night <of> Lights")
	if len(p.Pages) != 5 {
		t.Fatalf("%d languages", len(p.Pages))
	}
	zipped := func(b []byte) int {
		var z bytes.Buffer
		w, _ := gzip.NewWriterLevel(&z, gzip.BestCompression)
		_, _ = w.Write(b)
		_ = w.Close()
		return z.Len()
	}
	for lang, b := range p.Pages {
		if n := zipped(b); n > 15<<10 {
			t.Errorf("%s: %d bytes compressed", lang, n)
		}
		note := Default().tables[lang].words["joiningNote"]
		for _, want := range []string{`<html lang="` + lang + `"`, note, `href="/.well-known/ropeline/main/line"`, "Night &lt;of&gt; Lights"} {
			if !bytes.Contains(b, []byte(want)) {
				t.Errorf("%s lacks %q", lang, want)
			}
		}
		if !bytes.Contains(p.Entry, []byte(note)) {
			t.Errorf("the entry says nothing in %s to who has no JavaScript", lang)
		}
	}
	if n := zipped(p.Entry); n > 15<<10 {
		t.Errorf("the entry has %d bytes compressed", n)
	}
	for _, js := range []string{entryJS, sharedJS} {
		if !strings.Contains(p.EntryPolicy+Default().Policy(), hashOf(js)) {
			t.Error("a policy does not admit its page's script")
		}
	}
	if again := sharedPages(t, "Night <of> Lights"); again.Version != p.Version {
		t.Error("the same pages have two names")
	}
	if other := sharedPages(t, "Another night"); other.Version == p.Version || !bytes.Contains(other.Entry, []byte(other.Version)) {
		t.Error("other pages have the same name, or the entry does not know it")
	}
	own, err := New(Options{Template: `<title>{{.DocTitle}}</title><a href="{{.Self}}">x</a>{{if .Kept}}<input name="kept">{{end}}{{if .Challenge}}<input name="challenge">{{end}}{{if .Invite}}<input name="code">{{end}}`})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := own.Shared("main", "x", "/w/"); err == nil || !strings.Contains(err.Error(), "{{.JS}}") {
		t.Errorf("a template without script cannot join: %v", err)
	}
}

// Nobody is led away by a link to the page: the target is a path of this site in the spelling that a browser would send, byte
// for byte, or the start page (AH8, AH9, AH11, AH12).
func TestAim(t *testing.T) {
	site, source := gallery(t, Default()), aimJS
	ctx := chromium.Tab(t, time.Minute)
	run(t, ctx, chromedp.Navigate(site+"/check/en"))
	to := func(hash string) string {
		return value(t, ctx, chromedp.Evaluate[string](`(function(){`+source+`;return aim(`+quoted(hash)+`, location.origin)})()`))
	}
	for _, good := range []string{"/", "/a", "/a/", "/events/gig", "/a?b=1&c=%2F%2f+%20", "/a?", "/a??b=//x", "/a//b", "/a///", "/checkout.", "/CHECKOUT", "/checkout%20", "/%252e", "/%2563heckout",
		"/%C4%B0/%E2%84%AA", "/a;b=c,d@e:f!$&'()*+=~", "/a?to=https://other.example/", "/%5Cother.example", "/a%0D%0ASet-Cookie:x", "/.well-known/ropeline-like", "/a?x=[1]|{2}^", "/%2F%2Fother.example"} {
		if got := to("#" + good); got != good {
			t.Errorf("%q became %q", good, got)
		}
	}
	for _, bad := range []string{"", "#", "#a", "#//", "#//checkout", "#///", "#//other.example/", "#///other.example/", "#/\\other.example", "#\\/other.example", "#/a\\b", "#https://other.example/", "#HTTPS:/other.example",
		"#javascript:alert(1)", "#data:text/html,x", "#/\t/other.example", "#/\n/other.example", "#\t//other.example", "#/\x00", "#/a\x7f", "#/a b", "# /a", "#/./checkout", "#/.//other.example", "#/a/../checkout",
		"#/a/%2e%2e/checkout", "#/%2e//other.example", "#/a#b", "##/a", "#/ü", "#/a\"", "#/a<b>", "#/.well-known/ropeline/main/wait", "#/.well-known/ropeline/other/leave", "#@other.example", "#.other.example",
		"#/" + strings.Repeat("a", 9000)} {
		if got := to(bad); got != "/" {
			t.Errorf("%q became %q", bad, got)
		}
	}
}

func quoted(s string) string {
	var b strings.Builder
	for _, r := range s {
		const hex = "0123456789abcdef"
		b.WriteString(`\u` + string([]byte{hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]}))
	}
	return `"` + b.String() + `"`
}
