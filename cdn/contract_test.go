package cdn

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each file keeps exactly what the table calls public. What cannot be run here is held to the list of paths, and to the
// rules that a waiting page relies on.
func TestEveryFileKeepsWhatTheTableSays(t *testing.T) {
	shared := []string{room + "status", room + "jwks.json", room + "draw", room + "draw/list", room + "wait", room + "wait/0a1b2c3d4e5f/en", room + "wait/0a1b2c3d4e5f/pt-br", "/v1/events", gig, seats, seats + ".bin",
		seats + "/since/17.1760000000", seats + ".bin/since/0.0", "/v1/geometry/0a1b", "/assets/x/site.css", "/openapi.json"}
	own := []string{"/", "/events/gig", room + "knock", room + "enter", room + "check", room + "receipt", room + "line", room + "join", gig + "/holds", gig + "/holds/1", gig + "/orders",
		gig + "/presale", "/v1/orders", "/v1/tickets", "/v1/staff/events/gig", "/v1/eventsx", "/x/assets/y", "/webhooks/fakepay"}
	for file, must := range map[string][]string{
		"varnish/ropeline.vcl":     {"beresp.http.Ropeline-Answer", "beresp.http.Set-Cookie", "private|no-store", "unset req.http.Cookie", "unset req.http.Authorization"},
		"nginx/ropeline.conf":      {"$upstream_http_ropeline_answer", "$upstream_http_set_cookie", "proxy_next_upstream off", "proxy_cache_lock on"},
		"fastly/ropeline.vcl":      {"beresp.http.Ropeline-Answer", "beresp.http.Set-Cookie", "private|no-store", "unset req.http.Cookie", "unset req.http.Authorization"},
		"cloudflare/ropeline.tf":   {`edge_ttl { mode = "respect_origin" }`, `action_parameters { cache = false }`},
		"cloudfront/ropeline.yaml": {"CookieBehavior: none", "ConnectionAttempts: 1", "No CustomErrorResponses"},
	} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range must {
			if !strings.Contains(string(b), m) {
				t.Errorf("%s lacks %q", file, m)
			}
		}
		keeps := keeper(t, file, string(b))
		for _, p := range shared {
			if !keeps(p) {
				t.Errorf("%s does not keep %s", file, p)
			}
		}
		for _, p := range own {
			if keeps(p) {
				t.Errorf("%s keeps %s", file, p)
			}
		}
	}
}

var (
	quotedPattern = regexp.MustCompile(`(?:~|matches) \\?"(\^[^"]+?)\\?"`)
	equal         = regexp.MustCompile(`(?:==|eq) \\?"(/[^"\\]+)\\?"`)
	startsWith    = regexp.MustCompile(`starts_with\([^,]+, \\?"(/[^"\\]+)\\?"\)`)
	mapped        = regexp.MustCompile(`(?m)^\t(~\^\S+|/\S+) \$(?:request_)?uri;$`)
	behaviour     = regexp.MustCompile(`PathPattern: "([^"]+)".*CachePolicyId: (!Ref)?`)
)

// keeper reads a file's list of paths back out of it.
func keeper(t *testing.T, file, text string) func(path string) bool {
	t.Helper()
	if strings.HasPrefix(file, "cloudfront") { // the first behaviour that matches decides
		rules := behaviour.FindAllStringSubmatch(text, -1)
		return func(path string) bool {
			for _, r := range rules {
				if glob(r[1], path) {
					return r[2] != ""
				}
			}
			return false
		}
	}
	var patterns []*regexp.Regexp
	add := func(list [][]string, before, after string) {
		for _, m := range list {
			p := strings.TrimPrefix(strings.ReplaceAll(m[1], `\\`, `\`), "~")
			if before != "" && strings.HasPrefix(p, "/") {
				p = before + regexp.QuoteMeta(p) + after
			}
			patterns = append(patterns, regexp.MustCompile(p))
		}
	}
	add(quotedPattern.FindAllStringSubmatch(before(text, "vcl_backend_response", "snippet: fetch"), -1), "", "")
	add(equal.FindAllStringSubmatch(text, -1), "^", "$")
	add(startsWith.FindAllStringSubmatch(text, -1), "^", "")
	add(mapped.FindAllStringSubmatch(text, -1), "^", "$")
	if len(patterns) < 5 {
		t.Fatalf("%s: found %d patterns", file, len(patterns))
	}
	return func(path string) bool {
		return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(path) })
	}
}

// before is the part of a file that decides about requests.
func before(text string, marks ...string) string {
	for _, m := range marks {
		text, _, _ = strings.Cut(text, m)
	}
	return text
}

func glob(pattern, path string) bool {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(path)
}
