package cdn

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/deploy/chromium"
)

// The rule for newcomers is the same in every file: who is sent away, who is not, where to, and what the edge hears. What cannot
// be run here is held to these words.
func TestEveryRuleForNewcomersSaysTheSame(t *testing.T) {
	list := regexp.MustCompile(`\(\\*\.well-known\|([a-z0-9|-]+)\)`)
	files := map[string][]string{
		"varnish/wait.vcl":    {`set resp.status = 302`, `wait#" + req.url`, `set req.http.Ropeline-Cdn = "wait"`, `unset req.http.Ropeline-Cdn`},
		"nginx/ropeline.conf": {`return 302`, `wait#$request_uri`, `proxy_set_header Ropeline-Cdn $ropeline_cdn`, `absolute_redirect off`},
		"fastly/wait.vcl":     {`set obj.status = 302`, `wait#" req.url`, `set req.http.Ropeline-Cdn = "wait"`, `unset req.http.Ropeline-Cdn`},
		"cloudflare/wait.tf":  {`status_code           = 302`, `wait#\", raw.http.request.uri)`, `name      = "Ropeline-Cdn"`, `preserve_query_string = false`},
		"cloudfront/wait.js":  {`statusCode: 302`, `wait#' + r.uri`, `rawQueryString()`},
	}
	for file, must := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		low := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(text))
		for _, m := range must {
			if !strings.Contains(text, m) {
				t.Errorf("%s lacks %q", file, m)
			}
		}
		for _, m := range []string{"rlpboxoffice", "ropelinepass", "ropelineticket", "secfetchmode", "secfetchdest", "secpurpose", "text/html", "/.wellknown/ropeline/boxoffice/wait#"} {
			if !strings.Contains(low, m) {
				t.Errorf("%s does not look at %q", file, m)
			}
		}
		found := list.FindStringSubmatch(text)
		if found == nil || found[1] != "assets|sign-in|sign-out|dev|checkout|orders|tickets|fakepay|webhooks|v1" {
			t.Errorf("%s: the paths outside the gate are %q", file, found)
		}
	}
	yaml, err := os.ReadFile("cloudfront/ropeline.yaml")
	if err != nil || !strings.Contains(string(yaml), "HeaderName: Ropeline-Cdn, HeaderValue: wait") || !strings.Contains(string(yaml), "EventType: viewer-request") {
		t.Errorf("cloudfront/ropeline.yaml says nothing of the rule: %v", err)
	}
}

// CloudFront's function is JavaScript, which can be run: newcomers are sent away with the address they came for, others are not.
func TestCloudFrontFunction(t *testing.T) {
	code, err := os.ReadFile("cloudfront/wait.js")
	if err != nil {
		t.Fatal(err)
	}
	tab := chromium.Tab(t, time.Minute)
	ask := func(method, uri, query, headers, cookies string) string {
		got, err := chromedp.Run(tab, chromedp.Evaluate[string](`(function () {`+string(code)+`
			var h = `+headers+`, r = {method: '`+method+`', uri: '`+uri+`', headers: {}, cookies: `+cookies+`, rawQueryString: function () { return `+query+`; }};
			for (var name in h) r.headers[name] = {value: h[name]};
			var a = handler({request: r});
			return a === r ? 'passed on' : a.statusCode + ' ' + a.headers.location.value + ' ' + a.headers['cache-control'].value;
		})()`))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	const page, own = `{'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html'}`, "passed on"
	sent := func(to string) string { return "302 /.well-known/ropeline/boxoffice/wait#" + to + " private, no-store" }
	for _, c := range []struct{ method, uri, query, headers, cookies, want string }{
		{"GET", "/shop/a%20b", `'x=%2F&y=a+b'`, page, `{}`, sent("/shop/a%20b?x=%2F&y=a+b")},
		{"GET", "/shop", `undefined`, page, `{a: {value: 'b'}}`, sent("/shop")},
		{"GET", "/shop", `''`, `{accept: 'text/html,*/*'}`, `{}`, sent("/shop?")},
		{"POST", "/shop", `undefined`, page, `{}`, own},
		{"GET", "/shop", `undefined`, `{accept: '*/*'}`, `{}`, own},
		{"GET", "/shop", `undefined`, `{'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe'}`, `{}`, own},
		{"GET", "/shop", `undefined`, `{'sec-fetch-mode': 'navigate', 'sec-purpose': 'prefetch'}`, `{}`, own},
		{"GET", "/shop", `undefined`, `{accept: 'text/html', 'ropeline-pass': 'x'}`, `{}`, own},
		{"GET", "/shop", `undefined`, page, `{'__Host-rl-p-boxoffice': {value: 'x'}}`, own},
		{"GET", "/orders/1", `undefined`, page, `{}`, own},
		{"GET", "/.well-known/ropeline/boxoffice/wait", `undefined`, page, `{}`, own},
		{"GET", "/ordersx", `undefined`, page, `{}`, sent("/ordersx")},
	} {
		if got := ask(c.method, c.uri, c.query, c.headers, c.cookies); got != c.want {
			t.Errorf("%s %s %s %s: %q, want %q", c.method, c.uri, c.headers, c.cookies, got, c.want)
		}
	}
}
