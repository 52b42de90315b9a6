package page

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"time"
)

//go:embed page.html
var htmlSource string

//go:embed page.css
var css string

// Data is what one visitor's page says. Unknown numbers are -1.
type Data struct {
	Room, Title, Message string
	Language             string // an Accept-Language header
	State                string // one of States
	Base                 string // /.well-known/ropeline/<room>/
	Self                 string // the page's own URL, for the button
	Post                 bool   // the request was a form that has not been kept

	Kept string // a sealed form that the page carries; empty: none

	Challenge string // what the browser has to solve before it may join; empty: nothing
	Bits      int    // how hard that is
	SignIn    string // where to sign in; empty: nowhere that we know of
	Bad       bool   // the invitation that was sent is not valid
	Shared    bool   // the page is everybody's: see Set.Shared

	Captcha, CaptchaKey, CaptchaClass string // script, site key and class of a CAPTCHA's widget; empty: none

	Epoch, Index, Place, X, Ahead, Low, High, Joined int64
	RatePerSecond                                    float64
	Slow                                             bool      // fewer go in than the rate says
	OpensAt                                          time.Time // zero: by hand
	BeginsAt                                         time.Time // zero: whoever comes joins
	Now                                              time.Time
	Commit                                           string // hex; empty: no draw
	EntropySource                                    string // "none", or the sentence

	Stock Stock // what is left, if that is told
}

// States are all a page can be in. The script knows one more, "cookies", for browsers that keep none.
var States = []string{"waiting", "next", "scheduled", "prequeue", "drawing", "paused", "merging", "sold_out", "closed", "limited", "retry",
	"fresh", "kept", "work", "invited", "identify", "framed", stateJoining}

// boot is what the script starts from.
type boot struct {
	Room  string      `json:"room"`
	Base  string      `json:"base"`
	Lang  string      `json:"lang"`
	Title string      `json:"title"`
	State string      `json:"state"`
	Post  bool        `json:"post"`
	Kept  bool        `json:"kept"`
	Epoch int64       `json:"epoch"`
	Index int64       `json:"index"`
	Place int64       `json:"place"`
	X     int64       `json:"x"`
	Rank  int64       `json:"rank"` // people before at the door of a full room; -1 anywhere else
	Opens int64       `json:"opens"`
	Begin int64       `json:"begin"`
	Now   int64       `json:"now"`
	Work  string      `json:"work,omitempty"`
	Bits  int         `json:"bits,omitempty"`
	Human bool        `json:"human,omitempty"` // a CAPTCHA has to be solved as well
	Rule  []string    `json:"rule,omitempty"`  // of the draw, for a page that is rendered before it is known
	T     template.JS `json:"-"`
}

// view is Data in words: what a template can say.
type view struct {
	Data
	Lang, DocTitle, Big, Unit, Head, Text, Why, Wait, PlaceText, RateText, OpensLabel, OpensText, OpensISO, JoinedText, Button, DrawText, Source string

	Percent, Offset, DotX, DotY                                 int
	RTL, Word, NoRope, NoButton, Draw, DrawOpen, Invite, Framed bool
	T                                                           map[string]string
	CSS                                                         template.CSS
	JS, Boot                                                    template.JS
}

// Render returns the page.
func (s *Set) Render(d Data) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(pageSize)
	err := s.RenderTo(&out, d)
	return out.Bytes(), err
}

// RenderTo writes the page.
func (s *Set) RenderTo(out *bytes.Buffer, d Data) error {
	t := s.choose(d.Language)
	v := view{Data: d, Lang: t.lang, RTL: rtl(t.lang), T: t.words, CSS: template.CSS(css), JS: template.JS(js), Head: t.words[d.State],
		Text: t.words[d.State+"Text"], Button: t.words["button"], OpensLabel: t.words["opensLabel"]}
	v.describe(t)
	b := boot{Room: d.Room, Base: d.Base, Lang: t.lang, Title: d.Title, State: d.State, Post: d.Post, Kept: d.Kept != "", Epoch: d.Epoch, Index: d.Index,
		Place: d.Place, X: d.X, Now: d.Now.UnixMilli(), Opens: millis(d.OpensAt), Begin: millis(d.BeginsAt), Work: d.Challenge, Bits: d.Bits, Human: d.Captcha != ""}
	if b.Rank = -1; d.State == "waiting" && d.Place >= 0 && d.Place < d.X {
		b.Rank = d.Ahead
	}
	if d.Shared {
		v.JS, b.Rule = template.JS(sharedJS), []string{t.words["drawNone"], t.words["drawPublic"], t.words["drawSource"]}
	}
	head, err := json.Marshal(b)
	if err != nil {
		return err
	}
	// The texts never change: they are not encoded anew for each visitor.
	v.Boot = template.JS(head[:len(head)-1]) + `,"t":` + t.boot + "}"
	if done, err := s.fill(out, &v, t); done || err != nil {
		return err
	}
	return s.page.Execute(out, v)
}

// Compression is the level at which a page is sent: the fastest one that keeps every page within 15 KB (3 does not).
const Compression = 4

const pageSize = 48 << 10 // a page in a language of three bytes a letter

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func (v *view) describe(t *table) {
	v.Offset, v.DotX, v.DotY, v.NoRope, v.Word = 100, 24, 22, true, true
	v.Big = t.words[v.State+"Big"]
	switch v.State {
	case "waiting":
		v.NoRope = v.Ahead < 0
		if v.Ahead < 0 {
			break
		}
		v.Big, v.Unit, v.Word = t.number(v.Ahead), t.words["ahead0"], false
		if v.Ahead > 0 {
			v.Unit = t.count("ahead", v.Ahead)
		}
		v.Wait = t.span(v.Low, v.High)
		switch {
		case v.High < 0:
			v.Why = t.words["whyStop"]
		case v.Slow:
			v.Why = t.words["whySlow"]
		}
		if left := t.left(v.Stock, v.Ahead, v.Now); left != "" {
			v.Why = left
		}
	case "next":
		v.NoRope, v.Offset, v.Percent, v.DotX = false, 0, 100, 376
	case "scheduled":
		v.Big, v.Unit, v.Word = t.countdown(v.BeginsAt.Sub(v.Now)), t.words["scheduledBig"], false
		v.at(v.BeginsAt, t.words["beginsLabel"])
	case "prequeue":
		v.Big = t.words["prequeueHand"]
		if !v.OpensAt.IsZero() {
			v.Big, v.Unit, v.Word = t.countdown(v.OpensAt.Sub(v.Now)), t.words["prequeueBig"], false
			v.at(v.OpensAt, v.OpensLabel)
		}
		v.JoinedText = t.number(max(0, v.Joined))
	case "fresh", stateJoining:
		v.Button = t.words["buttonJoin"]
	case "framed":
		v.Button, v.Framed = t.words["buttonFramed"], true
	case "work":
		v.NoRope = false
	case "invited":
		v.Invite = true
	}
	if v.Place >= 0 && (v.State == "waiting" || v.State == "next" || v.State == "paused" || v.State == "sold_out") {
		v.PlaceText = t.number(v.Place + 1)
	}
	if v.State == "waiting" && v.RatePerSecond > 0 {
		v.RateText = t.count("rateValue", int64(v.RatePerSecond*60+.5))
	}
	v.NoButton = v.State == "kept" || v.State == "closed" || v.Challenge != "" || v.Invite
	v.Draw, v.DrawOpen = v.Commit != "", v.State == "prequeue" || v.State == "scheduled"
	v.DrawText, v.Source = t.drawSentence(v.EntropySource)
	v.DocTitle = v.Big + " · " + v.Title
}

// at is a moment in UTC, since nobody knows a visitor's clock without asking the script.
func (v *view) at(when time.Time, label string) {
	v.OpensLabel, v.OpensISO, v.OpensText = label, when.UTC().Format(time.RFC3339), when.UTC().Format("2006-01-02 15:04 UTC")
}
