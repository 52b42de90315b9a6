package caddymodule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An operator's template and texts are in force after a load; ones that fail change nothing, and the error says where.
func TestOwnPageByCaddyfile(t *testing.T) {
	e := newEdge(t, roomWith("rate 0"), "")
	file := func(name, text string) string {
		name = filepath.Join(e.dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	texts := file("words/en.json", `{"waiting": "You stand in the queue"}`)
	one := file("all.json", `{"es": {"waiting": "En la cola"}}`)
	template := file("page.html", `<!doctype html><html lang="{{.Lang}}"><title>{{.DocTitle}}</title><h1>The Lamp Room</h1><p>{{.Head}}</p><a href="{{.Self}}">{{.Button}}</a>
{{if .Kept}}<form method="post" action="{{.Base}}resume"><input type="hidden" name="kept" value="{{.Kept}}"><button>{{.T.keptButton}}</button></form>{{end}}
{{if .Challenge}}<form method="post" action="{{.Base}}join"><input type="hidden" name="challenge" value="{{.Challenge}}"><input type="hidden" name="to" value="{{.Self}}"><button>{{.T.workButton}}</button></form>{{end}}
{{if .Invite}}<form method="post" action="{{.Base}}invite"><input name="code"><input type="hidden" name="to" value="{{.Self}}"><button>{{.T.inviteButton}}</button></form>{{end}}`)
	if err := e.load(roomWith("rate 0", "template "+template, "texts "+filepath.Dir(texts))); err != nil {
		t.Fatal(err)
	}
	e.until("the own page", func() bool {
		b := e.visitor().navigate("/a?b=1").body
		return strings.Contains(b, "The Lamp Room") && strings.Contains(b, "You stand in the queue") && strings.Contains(b, `href="/a?b=1"`)
	})
	if err := e.load(roomWith("rate 0", "texts "+one)); err != nil {
		t.Fatal(err)
	}
	if b := e.visitor().do("GET", "/", append(navigation, "Accept-Language", "es-AR,en;q=0.5")...).body; !strings.Contains(b, "En la cola") {
		t.Errorf("%.300s", b)
	}
	for want, options := range map[string][]string{
		"page.html: template in state": {"template " + file("bad/page.html", "<p>{{.Big}}</p>")},
		"no such file":                 {"template /nowhere.html"},
		"missing are ahead":            {"texts " + filepath.Dir(file("fr/fr.json", `{}`))},
		"holds no <language>.json":     {"texts " + filepath.Dir(file("none/x.txt", ""))},
		"is not one of our texts":      {"texts " + file("t.json", `{"en": {"wating": "x"}}`)},
	} {
		err := e.load(roomWith(append([]string{"rate 0"}, options...)...))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "waiting_room main") {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if b := e.visitor().do("GET", "/", append(navigation, "Accept-Language", "es")...).body; !strings.Contains(b, "En la cola") {
		t.Error("a load that failed changed the page")
	}
}

// W11, AH36: inside another site's page nobody gets a place that the browser would lose; a link leads to a window of
// its own. The waiting page itself cannot be framed.
func TestFramed(t *testing.T) {
	e := newEdge(t, roomWith("rate 0"), "")
	r := e.visitor().do("GET", "/shop?a=1", "Accept", "text/html", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe", "Sec-Fetch-Site", "cross-site").want(t, 503)
	if r.Header.Get("Set-Cookie") != "" || !strings.Contains(r.body, `href="/shop?a=1" target="_top"`) || strings.Contains(r.body, "<script") {
		t.Errorf("%v\n%s", r.Header, r.body)
	}
	if p := r.Header.Get("Content-Security-Policy"); strings.Contains(p, "frame-ancestors") || !strings.Contains(p, "default-src 'none'") || r.Header.Get("X-Frame-Options") != "" {
		t.Errorf("the way out cannot be seen: %s", p)
	}
	if n := e.joined(); n != 0 {
		t.Errorf("%d places", n)
	}
	w := e.visitor().navigate("/shop?a=1").want(t, 503)
	if p := w.Header.Get("Content-Security-Policy"); !strings.Contains(p, "frame-ancestors 'none'") || w.Header.Get("X-Frame-Options") != "DENY" || w.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("the waiting page can be framed: %v", w.Header)
	}
}
