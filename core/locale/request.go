package locale

import (
	"net/http"
	"net/url"
)

const (
	// Cookie remembers which language a visitor chose by hand.
	Cookie = "ropeline_lang"
	// Parameter of an address chooses one: "?lang=es". It is stronger than the
	// cookie, so that a link that was shared shows what its sender saw.
	Parameter = "lang"

	cookieLife = 365 * 24 * 60 * 60 // seconds
)

// Varies is what an answer depends on that has one address in all languages.
const Varies = "Accept-Language, Cookie"

// FromRequest is the language of an answer: what its address says, what was chosen before, what the browser asks for.
func FromRequest(r *http.Request) string {
	if lang := r.URL.Query().Get(Parameter); Known(lang) {
		return lang
	}
	if c, err := r.Cookie(Cookie); err == nil && Known(c.Value) {
		return c.Value
	}
	return Choose(r.Header.Get("Accept-Language"))
}

// Remember answers a choice by hand with the cookie that keeps it. An answer that
// sets a cookie must not be kept by a shared cache; secure: the visitor came by https.
func Remember(w http.ResponseWriter, r *http.Request, secure bool) {
	lang := r.URL.Query().Get(Parameter)
	if !Known(lang) {
		return
	}
	if c, err := r.Cookie(Cookie); err == nil && c.Value == lang {
		return
	}
	http.SetCookie(w, &http.Cookie{Name: Cookie, Value: lang, Path: "/", MaxAge: cookieLife, HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode})
}

// Choice is one entry of the menu of languages.
type Choice struct {
	Lang, Name, Address string
	Current             bool
}

// Choices is the menu for a page at u, whose parameter names drop are left out
// of the addresses.
func Choices(u *url.URL, current string, drop ...string) []Choice {
	q := u.Query()
	for _, name := range drop {
		q.Del(name)
	}
	var out []Choice
	for _, lang := range Languages {
		q.Set(Parameter, lang)
		out = append(out, Choice{Lang: lang, Name: Names[lang], Address: u.EscapedPath() + "?" + q.Encode(), Current: lang == current})
	}
	return out
}
