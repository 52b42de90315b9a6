package web

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
)

//go:embed templates
var templateFiles embed.FS

// site renders pages.
type site struct {
	api  reader
	room string
	log  *slog.Logger
}

// view is what a template is filled with. Page-specific values are in Data.
type view struct {
	Title    string
	Status   int    // HTTP status; 0 is 200
	Module   string // entry module below assets/js, without extension
	Style    string // page's own style sheet below assets/css
	Nav      string // which link of the header is this page
	Room     string
	SignedIn bool
	Account  string // e-mail address of the signed-in account, "" if unknown
	SignIn   string // address of the sign-in page that returns here
	Wide     bool   // the page uses the whole width
	Data     any
	// JSON is handed to the module in a data block, which is not a script: the
	// content policy stays without 'unsafe-inline'. html/template writes it as
	// JSON with <, > and & escaped, so the block cannot be closed from within.
	JSON any
}

// pages holds one parsed set per page: the layout and the page's own blocks.
var pages = parsePages()

func parsePages() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(funcs).
		ParseFS(templateFiles, "templates/layout.html", "templates/parts/*.html"))
	names, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic("web: embedded templates: " + err.Error())
	}
	set := map[string]*template.Template{}
	for _, f := range names {
		if f.IsDir() || f.Name() == "layout.html" {
			continue
		}
		set[f.Name()] = template.Must(template.Must(layout.Clone()).ParseFS(templateFiles, "templates/"+f.Name()))
	}
	return set
}

// page turns a route into a handler. Everything is rendered before the first
// byte leaves, so a failure is a whole error page and never half of a good one.
func (s *site) page(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name, personal := rt.template, rt.personal
		v, err := rt.fill(s, r)
		if err != nil {
			name, v = "problem.html", s.problem(r, err)
			personal = true // an error is not kept either
		}
		v.Room = s.room
		if c, err := r.Cookie(AccountCookie); err == nil {
			v.SignedIn, v.Account = true, accountName(c.Value)
		}
		v.SignIn = "/sign-in?return=" + url.QueryEscape(returnPath(r.URL))

		var out bytes.Buffer
		if err := pages[name].ExecuteTemplate(&out, "layout.html", v); err != nil {
			s.log.ErrorContext(r.Context(), "page not rendered", "template", name, "error", err)
			http.Error(w, "This page could not be shown. Please try again.", http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", cachePublic)
		if personal {
			h.Set("Cache-Control", cachePersonal)
		}
		if v.Status != 0 {
			w.WriteHeader(v.Status)
		}
		if r.Method != http.MethodHead {
			_, _ = w.Write(out.Bytes()) // a failure here is the client gone
		}
	}
}

// returnPath is the page's own address for the sign-in page to come back to,
// without a card token: that is used once and has no business in another URL.
func returnPath(u *url.URL) string {
	q := u.Query()
	q.Del("card_token")
	if enc := q.Encode(); enc != "" {
		return u.EscapedPath() + "?" + enc
	}
	return u.EscapedPath()
}

func (s *site) problem(r *http.Request, err error) view {
	if errors.Is(err, errNoEvent) {
		return view{Title: "Not found", Status: http.StatusNotFound, Data: problemText{
			"We could not find that event", "It may have been taken off sale, or the link is incomplete."}}
	}
	if errors.Is(err, errSearchPaused) {
		return view{Title: "Search is paused", Status: http.StatusServiceUnavailable, Data: problemText{
			"Searching is paused for a moment", "Very many people are buying right now, and buying comes first. You can still see all events and open each of them."}}
	}
	s.log.ErrorContext(r.Context(), "page not filled", "path", r.URL.Path, "error", err)
	return view{Title: "Not available", Status: http.StatusServiceUnavailable, Data: problemText{
		"We cannot show this right now", "The box office is not answering. Nothing of yours is lost: please try again in a moment."}}
}

type problemText struct{ Heading, Text string }
