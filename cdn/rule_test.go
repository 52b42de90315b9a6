package cdn

import (
	"os"
	"regexp"
	"strings"
	"testing"
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
