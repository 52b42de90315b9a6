package caddymodule

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/caddymodule/page"
)

const (
	waitPageOn = "on"

	// cdnHeader is the word of a cache in front that it has the rule of cdn/README.md: it sends newcomers to the page and
	// keeps the page. It opens nothing, so it is no secret; without it the page would only hide that the rule is missing,
	// and the first wave would arrive here after all.
	cdnHeader, cdnRule = "Ropeline-Cdn", "wait"

	// The entry stands at a fixed address and says which pages there are: an hour, and a day while the edge is away. A page's
	// address names its content. One by an older name is answered with the present one, for a minute: a redirect to an
	// entry that a cache still has from before would lead back here.
	entryCache = "public, max-age=60, s-maxage=3600, stale-while-revalidate=86400, stale-if-error=86400"
	pageCache  = "public, max-age=31536000, immutable"
	olderCache = "public, max-age=60, s-maxage=60"
)

// waitPages is the waiting page for a cache, ready to be sent.
type waitPages struct {
	version string
	entry   *fixedPage
	pages   map[string]*fixedPage // by language
}

// fixedPage is the same for everybody.
type fixedPage struct {
	raw, zipped []byte
	tag, policy string
}

// newWaitPages renders a room's pages; nil if it is to have none.
func newWaitPages(s *page.Set, room string, c RoomConfig) (*waitPages, error) {
	if c.WaitPage != waitPageOn {
		return nil, nil
	}
	title := c.Title
	if title == "" {
		title = room
	}
	shared, err := s.Shared(room, title, reservedPrefix+room+"/")
	if err != nil {
		return nil, err
	}
	out := &waitPages{version: shared.Version, pages: map[string]*fixedPage{}}
	if out.entry, err = newFixedPage(shared.Entry, shared.Version, shared.EntryPolicy); err != nil {
		return nil, err
	}
	for lang, b := range shared.Pages {
		if out.pages[lang], err = newFixedPage(b, shared.Version+"-"+lang, s.Policy()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func newFixedPage(raw []byte, tag, policy string) (*fixedPage, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(raw)
	}
	if err == nil {
		err = z.Close()
	}
	return &fixedPage{raw: raw, zipped: b.Bytes(), tag: tag, policy: policy}, err
}

// serve writes the page, or says that the cache has it. There is no Ropeline-Answer on it: that marks what is one visitor's.
func (p *fixedPage) serve(w http.ResponseWriter, r *http.Request, cache string) error {
	body, tag := p.raw, `"`+p.tag+`"`
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	zipped := strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
	if zipped {
		body, tag = p.zipped, `"`+p.tag+`-gzip"`
	}
	set(h, "Etag", tag, "Cache-Control", cache, "Content-Security-Policy", p.policy, "X-Frame-Options", "DENY", "X-Content-Type-Options", "nosniff", "Referrer-Policy", "no-referrer")
	if strings.Contains(strings.Join(r.Header["If-None-Match"], ","), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if zipped {
		h.Set("Content-Encoding", "gzip")
	}
	set(h, "Content-Type", "text/html; charset=utf-8", "Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
	return nil
}

// serveWaitPage gives a cache the page that it will give to everybody.
func (h *Handler) serveWaitPage(w http.ResponseWriter, r *http.Request) error {
	switch {
	case h.waits == nil:
		return h.noWaitPage(w, r)
	case r.Header.Get(cdnHeader) != cdnRule:
		return problem{Status: http.StatusNotFound, Code: "cdn_rule_missing",
			Detail: "This page is for a cache in front of the edge that sends newcomers to it. The cache's rule says so with " + cdnHeader + ": " + cdnRule + "; cdn/README.md has it."}.write(w, r)
	}
	_, rest, versioned := strings.Cut(r.URL.Path, "/wait/")
	if !versioned {
		return h.waits.entry.serve(w, r, entryCache)
	}
	version, lang, _ := strings.Cut(rest, "/")
	p := h.waits.pages[lang]
	switch {
	case p == nil:
		return problem{Status: http.StatusNotFound, Code: "not_found", Detail: "There is no such page; the pages are linked from wait."}.write(w, r)
	case version != h.waits.version:
		return p.serve(w, r, olderCache)
	}
	return p.serve(w, r, pageCache)
}

func (h *Handler) noWaitPage(w http.ResponseWriter, r *http.Request) error {
	return problem{Status: http.StatusNotFound, Code: "wait_page_off", Detail: "This room has no page for a cache to keep: wait_page on gives it one, once the cache's rule of cdn/README.md is in place."}.write(w, r)
}

// lineURL is the way into the line for those whom a cache sends away from every other page.
var lineURL = regexp.MustCompile(`^/\.well-known/ropeline/[a-z0-9_-]+/line(\?to=[!-~]*)?$`)

// serveLine is the edge's own page at an address that no cache redirects: for browsers without JavaScript, and where
// something has to be filled in. Whoever is inside is led on to where it wanted to go.
func (h *Handler) serveLine(w http.ResponseWriter, r *http.Request) error {
	if h.waits == nil {
		return h.noWaitPage(w, r)
	}
	v := h.bearer(r)
	switch {
	case v.inside:
		return seeOther(w, safeTarget(r.URL.Query().Get("to")))
	case v.tooOften:
		return h.tooOften(w, r)
	}
	// Nobody is let through to the origin here: it has no such page.
	return h.serveWaiting(w, r, caddyhttp.HandlerFunc(h.unavailable), v)
}

// joinFromPage gives a place to a page that a cache has given out: what a navigation gets, by one small request. Asked again by
// somebody who has one, it is the same place, unless that is spent.
func (h *Handler) joinFromPage(w http.ResponseWriter, r *http.Request, v visitor, f url.Values) error {
	if v.inside {
		private(w, "joined")
		return writeJSON(w, r, http.StatusOK, "application/json", map[string]any{"state": "in"})
	}
	for try := 1; v.hasTicket && v.ticket.Index != admission.NoIndex && h.spent(r, v, f.Has("again")); try++ {
		if !h.another(&v) || try == maxTries {
			v.hasTicket = false // somebody coming back, who takes a new place
		}
	}
	k := kind{joins: true}
	snap, err := h.place(r, &v, k)
	h.met(r, metWaiting, v.ticket.VID, unknown)
	h.carry(w, r, v, k)
	if err == nil { // the ticket goes into its cookie alone: a page's script has no use for it
		private(w, "joined")
		return writeJSON(w, r, http.StatusOK, "application/json", map[string]any{"state": "joined", "index": v.ticket.Index,
			"place": h.room.line.Place(v.ticket.Index), "epoch": v.ticket.Epoch})
	}
	s := h.standing(v, snap, err)
	if _, err := h.demand(r, &s, err); err != nil {
		return err
	}
	return h.writeProblem(w, r, v, s)
}

// spent says whether a place has been used. The store is asked only when the page says so: this edge may not have heard.
func (h *Handler) spent(r *http.Request, v visitor, said bool) bool {
	if h.room.used.has(v.ticket, h.room.line.Snapshot()) {
		return true
	}
	if !said || !h.room.knocks.allow(string(v.ticket.VID)) {
		return false
	}
	a, err := h.askOnce(r, v, h.room.line.Knock)
	return err == nil && a.Standing == line.Used
}
