package fakepay

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

//go:embed card.html
var cardHTML string

//go:embed card.css
var cardCSS string

// cardJS asks again for a page that comes back from the browser's memory: there,
// no-store or not, a form that was sent would still look alive.
//
//go:embed card.js
var cardJS string

var (
	cardTemplate = template.Must(template.New("card").Parse(cardHTML))
	cardPolicy   = "default-src 'none'; style-src 'sha256-" + hashOf(cardCSS) + "'; script-src 'sha256-" + hashOf(cardJS) + "'; base-uri 'none'; frame-ancestors 'none'"
)

// hashOf lets the page carry its style and script inline without allowing any other.
func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// testCard is one card of the page. Its token is what the merchant gets.
type testCard struct {
	Number, Token, Name, Note string
}

var testCards = []testCard{
	{"4242 4242 4242 4242", TokenOK, "Works", "The payment goes through at once."},
	{"4000 0000 0000 0002", TokenDeclined, "Declined", "The bank says no."},
	{"4000 0000 0000 9995", TokenInsufficient, "No funds", "Declined: not enough money."},
	{"4000 0000 0000 3220", TokenSlow, "Slow", "The bank thinks for 10 seconds."},
	{"4000 0000 0000 0341", TokenLost, "Answer lost", "It goes through, but the shop's line is cut."},
}

func tokenOf(number string) (string, bool) {
	digits := strings.Join(strings.FieldsFunc(number, func(r rune) bool { return r == ' ' || r == '-' }), "")
	for _, c := range testCards {
		if strings.ReplaceAll(c.Number, " ", "") == digits {
			return c.Token, true
		}
	}
	return "", false
}

// cardView is what the template shows.
type cardView struct {
	Style            template.CSS
	Script           template.JS
	Amount, Currency string
	Reference        string
	Cancel           string
	Cards            []testCard
	Error            string
	Used             bool // the form was sent before
}

// cardPage answers GET /card.
func (s *Server) cardPage(w http.ResponseWriter, r *http.Request) {
	v, _, err := s.viewOf(r)
	if err != nil {
		http.Error(w, "This payment link is not complete: "+err.Error(), http.StatusBadRequest)
		return
	}
	v.Used = s.used.has(formOf(r))
	if r.URL.Query().Has("unknown_card") && !v.Used {
		v.Error = "This is not one of the test cards below. Real cards do not work here, please never type one."
	}
	showCard(w, http.StatusOK, v)
}

// formOf names the form within its payment.
func formOf(r *http.Request) string {
	q := r.URL.Query()
	if !q.Has("form") || len(q.Get("form")) > maxReference || len(q.Get("reference")) > maxReference {
		return ""
	}
	return q.Get("reference") + " " + q.Get("form")
}

// cardSubmit answers POST /card: back to the shop with a token, never a number.
// Each answer is a redirect, so that no reload or Back asks to send the form again.
func (s *Server) cardSubmit(w http.ResponseWriter, r *http.Request) {
	_, back, err := s.viewOf(r)
	if err != nil {
		http.Error(w, "This payment link is not complete: "+err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form could not be read.", http.StatusBadRequest)
		return
	}
	number := r.PostForm.Get("card") // a test card's button
	if number == "" {
		number = r.PostForm.Get("number")
	}
	token, ok := tokenOf(number)
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case !ok:
		again := r.URL.Query()
		again.Set("unknown_card", "1") // what was typed is not in the address: it may be a real card
		w.Header().Set("Location", "?"+again.Encode())
	case !s.used.use(formOf(r)):
		w.Header().Set("Location", back.String()) // the shop has its token and shows what became of it
	default:
		q := back.Query()
		q.Set("card_token", token)
		back.RawQuery = q.Encode()
		w.Header().Set("Location", back.String()) // may be a path: proxies in front keep their host
	}
	w.WriteHeader(http.StatusSeeOther)
}

func showCard(w http.ResponseWriter, status int, v cardView) {
	var page bytes.Buffer
	if err := cardTemplate.Execute(&page, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", cardPolicy)
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes())
}

// viewOf reads the query and the address to go back to.
func (s *Server) viewOf(r *http.Request) (cardView, *url.URL, error) {
	q := r.URL.Query()
	amount, err := strconv.ParseInt(q.Get("amount"), 10, 64)
	if err != nil || amount <= 0 {
		return cardView{}, nil, fmt.Errorf("amount %q is not a positive number of minor units", q.Get("amount"))
	}
	if !currencyCode.MatchString(q.Get("currency")) {
		return cardView{}, nil, fmt.Errorf("currency %q is not three capital letters", q.Get("currency"))
	}
	if q.Get("return") == "" {
		return cardView{}, nil, fmt.Errorf("return is missing")
	}
	back, err := url.Parse(q.Get("return"))
	if err != nil || !s.mayReturn(q.Get("return"), back, r.Host) {
		return cardView{}, nil, fmt.Errorf("return %q is neither a path nor an address of this site or of FAKEPAY_RETURN_HOSTS", q.Get("return"))
	}
	return cardView{
		Style: template.CSS(cardCSS), Script: template.JS(cardJS), Amount: decimal(amount, q.Get("currency")), Currency: q.Get("currency"),
		Reference: q.Get("reference"), Cancel: back.String(), Cards: testCards,
	}, back, nil
}

// mayReturn: the token goes where return says, so that is this site, as the browser
// sees it, or a shop that was configured; anybody can write a link to this page.
func (s *Server) mayReturn(text string, u *url.URL, host string) bool {
	if u.Scheme == "" {
		// "//evil", "///evil" and "/\\evil" are hosts to a browser.
		return strings.HasPrefix(text, "/") && (len(text) == 1 || text[1] != '/' && text[1] != '\\')
	}
	return (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && u.Host != "" &&
		(strings.EqualFold(u.Host, host) || slices.ContainsFunc(s.opts.ReturnHosts, func(h string) bool { return strings.EqualFold(u.Host, h) }))
}

// decimal writes minor units as people read them.
func decimal(minor int64, currency string) string {
	digits := 2
	switch currency {
	case "JPY", "KRW", "VND", "CLP", "ISK", "XOF", "XAF", "UGX", "PYG", "RWF":
		digits = 0
	case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND":
		digits = 3
	}
	text := strconv.FormatInt(minor, 10)
	for len(text) <= digits {
		text = "0" + text
	}
	if digits == 0 {
		return text
	}
	return text[:len(text)-digits] + "." + text[len(text)-digits:]
}
