package web

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/ropeline/ropeline/core/locale"
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
	Title    string // of the window; the name of a text unless Named
	Named    bool   // Title is a name of somebody else's, as it is
	Status   int    // HTTP status; 0 is 200
	Module   string // entry module below assets/js, without extension
	Style    string // page's own style sheet below assets/css
	Nav      string // which link of the header is this page
	Room     string
	SignedIn bool
	Account  string // e-mail address of the signed-in account, "" if unknown
	SignIn   string // address of the sign-in page that returns here
	Wide     bool   // the page uses the whole width
	Speech   *locale.Speech
	Choices  []locale.Choice // of the menu of languages
	Data     any
	// JSON is handed to the module in a data block, which is not a script: the
	// content policy stays without 'unsafe-inline'. html/template writes it as
	// JSON with <, > and & escaped, so the block cannot be closed from within.
	JSON any
}

// pages holds, for every language, one parsed set per page: the layout and the
// page's own blocks, with functions that speak the language.
var pages = parseAll()

func parseAll() map[string]map[string]*template.Template {
	all := map[string]map[string]*template.Template{}
	for lang, s := range speeches {
		all[lang] = parsePages(s)
	}
	return all
}

func parsePages(s *locale.Speech) map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(funcsIn(s)).
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
		v.Speech = speeches[locale.FromRequest(r)]
		v.Choices = locale.Choices(r.URL, v.Speech.Lang, cardParameter)

		var out bytes.Buffer
		if err := pages[v.Speech.Lang][name].ExecuteTemplate(&out, "layout.html", v); err != nil {
			s.log.ErrorContext(r.Context(), "page not rendered", "template", name, "error", err)
			http.Error(w, v.Speech.Say("notRendered"), http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Language", v.Speech.Lang)
		h.Set("Vary", locale.Varies)
		locale.Remember(w, r, secure(r))
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

// cardParameter is the parameter with which the card form comes back.
const cardParameter = "card_token"

// returnPath is the page's own address for the sign-in page to come back to,
// without a card token: that is used once and has no business in another URL. A
// language chosen on this page is in the cookie by then.
func returnPath(u *url.URL) string {
	q := u.Query()
	q.Del(cardParameter)
	q.Del(locale.Parameter)
	if enc := q.Encode(); enc != "" {
		return u.EscapedPath() + "?" + enc
	}
	return u.EscapedPath()
}

func (s *site) problem(r *http.Request, err error) view {
	if errors.Is(err, errNoEvent) {
		return view{Title: "notFound", Status: http.StatusNotFound, Data: problemText{"noEvent", "noEventText"}}
	}
	if errors.Is(err, errSearchPaused) {
		return view{Title: "searchPausedTitle", Status: http.StatusServiceUnavailable, Data: problemText{"searchPaused", "searchPausedText"}}
	}
	s.log.ErrorContext(r.Context(), "page not filled", "path", r.URL.Path, "error", err)
	return view{Title: "unavailable", Status: http.StatusServiceUnavailable, Data: problemText{"cannotShow", "cannotShowText"}}
}

// problemText names the texts of a page that has nothing to show.
type problemText struct{ Heading, Text string }
