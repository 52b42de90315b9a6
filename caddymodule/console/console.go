package console

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"strings"
)

//go:embed console.html
var frame string

//go:embed console.css
var style string

//go:embed draw.js
var draw string

//go:embed why.js
var why string

//go:embed inside.js
var inside string

//go:embed steer.js
var steer string

//go:embed main.js
var start string

var (
	script = "'use strict';\n" + draw + why + inside + steer + start
	page   = strings.NewReplacer("{{style}}", style, "{{script}}", script).Replace(frame)
)

// Policy admits exactly the two inline parts, questions to the listener that the page came from, and nothing else: no
// form leaves it, and no other page may frame it and have its buttons pressed.
var Policy = "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) +
	"; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// ServeHTTP answers with the page.
func ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", Policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // Caddy's admin listener asks for it
	h.Set("Cache-Control", "no-store")
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(page))
	}
}
