package api

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/ropeline/ropeline/core/api/issuer"
	"github.com/ropeline/ropeline/core/locale"
)

//go:embed signin.html signin.css texts/*.json
var signInFiles embed.FS

var (
	signInPage   = template.Must(template.ParseFS(signInFiles, "signin.html"))
	signInStyle  = mustRead("signin.css")
	signInTexts  = locale.MustLoad(signInFiles, "texts")
	signInPolicy = "default-src 'none'; style-src '" + styleHash(signInStyle) + "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

func mustRead(name string) string {
	b, err := signInFiles.ReadFile(name)
	if err != nil {
		panic(err) // embedded: cannot be missing
	}
	return string(b)
}

// styleHash lets exactly this style run and nothing else.
func styleHash(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// signInData fills the page.
type signInData struct {
	*locale.Speech
	Style  template.CSS
	Return string
	Email  string
	Error  string // the name of a text
}

func (a *API) showSignIn(w http.ResponseWriter, r *http.Request, _ *call) error {
	return a.renderSignIn(w, r, http.StatusOK, signInData{Return: localPath(r.URL.Query().Get("return"))})
}

func (a *API) renderSignIn(w http.ResponseWriter, r *http.Request, status int, d signInData) error {
	d.Speech = signInTexts[locale.FromRequest(r)]
	d.Style = template.CSS(signInStyle) // ours, embedded
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", d.Lang)
	h.Add("Vary", locale.Varies)
	h.Set("Content-Security-Policy", signInPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	w.WriteHeader(status)
	return signInPage.Execute(w, d)
}

// signIn takes the form. A browser's cross-site post is refused although nobody is
// signed in yet: it would sign a visitor into somebody else's account. A program
// without either header may sign in; it has no cookie jar that could be abused.
func (a *API) signIn(w http.ResponseWriter, r *http.Request, c *call) error {
	if (r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != "") && !sameSite(r) {
		return errCrossSite
	}
	form, err := parseForm(r, c.body)
	if err != nil {
		return err
	}
	back := localPath(form.Get("return"))
	email, err := issuer.Email(form.Get("email"))
	if err != nil {
		return a.renderSignIn(w, r, http.StatusUnprocessableEntity, signInData{Return: back, Email: clip(form.Get("email")), Error: "noEmail"})
	}
	token, err := a.issue(r, email)
	if err != nil {
		return err
	}
	http.SetCookie(w, a.cookie(r, token, issuer.Life))
	w.Header().Set("Location", back)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// signOut forgets the account in this browser and tells the edge that the visitor
// needs no place inside any more.
func (a *API) signOut(w http.ResponseWriter, r *http.Request, _ *call) error {
	if !sameSite(r) {
		return errCrossSite
	}
	http.SetCookie(w, a.cookie(r, "", -1))
	w.Header().Set("Ropeline-Session", "end")
	w.Header().Set("Location", "/")
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

func (a *API) cookie(r *http.Request, token string, life time.Duration) *http.Cookie {
	maxAge := int(life / time.Second)
	if life < 0 {
		maxAge = -1
	}
	return &http.Cookie{Name: accountCookie, Value: token, Path: "/", MaxAge: maxAge, HttpOnly: true,
		Secure: a.proxies.https(r), SameSite: http.SameSiteLaxMode}
}

// devToken is the page's answer for programs: POST {"email"} gives {"token"}.
func (a *API) devToken(w http.ResponseWriter, r *http.Request, c *call) error {
	var body struct {
		Email string      `json:"email"`
		Role  issuer.Role `json:"role"`
	}
	if err := decode(r, c.body, &body); err != nil {
		return err
	}
	if body.Role != issuer.Buyer && body.Role != issuer.Staff {
		return errInvalidBody.Say("role: leave it out, or write \"staff\".").With("field", "role")
	}
	email, err := issuer.Email(body.Email)
	if err != nil {
		return errInvalidBody.Say("email: %v.", err).With("field", "email")
	}
	var token string
	if body.Role == issuer.Staff { // staff have no account to buy with
		token, err = a.issuer.SignAs(issuer.Staff, email, a.now())
	} else {
		token, err = a.issue(r, email)
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]string{"token": token})
}

// issue signs a token and makes the account at once, so that no later GET needs to.
func (a *API) issue(r *http.Request, email string) (string, error) {
	token, err := a.issuer.Sign(email, a.now())
	if err != nil {
		return "", err
	}
	_, err = a.accounts.caller(r.Context(), token, true)
	return token, err
}

// localPath keeps a return address on this site: a path, never a host. "//host"
// and "/\host" are hosts to a browser.
func localPath(s string) string {
	if !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") || len(s) > 2048 ||
		strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\\' }) {
		return "/"
	}
	return s
}
