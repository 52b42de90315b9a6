package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"strings"
	"time"
)

//go:embed page.html
var htmlSource string

//go:embed page.css
var css string

//go:embed page.js
var js string

//go:embed texts.json
var textsSource []byte

// Data is what one visitor's page says. Unknown numbers are -1.
type Data struct {
	Room, Title, Message string
	Language             string // an Accept-Language header
	State                string // waiting next scheduled prequeue drawing paused closed retry fresh
	Base                 string // /.well-known/ropeline/<room>/
	Self                 string // the page's own URL, for the button
	Post                 bool   // the request was a form that has not been kept

	Kept string // a sealed form that the page carries; empty: none

	Epoch, Index, Place, X, Ahead, Low, High, Joined int64
	RatePerSecond                                    float64
	OpensAt                                          time.Time // zero: by hand
	BeginsAt                                         time.Time // zero: whoever comes joins
	Now                                              time.Time
	Commit                                           string // hex; empty: no draw
	EntropySource                                    string // "none", or the sentence
}

var (
	tmpl  = template.Must(template.New("page").Parse(htmlSource))
	texts = mustTexts()
)

// Policy is the Content-Security-Policy of the page. Its two inline parts never change, so their hashes do for all
// visitors; a nonce would have to differ each time and would make the answer no safer.
var Policy = "default-src 'none'; script-src '" + hashOf(js) + "'; style-src '" + hashOf(css) + "'; img-src data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func mustTexts() map[string]map[string]string {
	var t map[string]map[string]string
	if err := json.Unmarshal(textsSource, &t); err != nil {
		panic("page: texts.json: " + err.Error())
	}
	return t
}

// boot is what the script starts from.
type boot struct {
	Room  string            `json:"room"`
	Base  string            `json:"base"`
	Lang  string            `json:"lang"`
	Title string            `json:"title"`
	State string            `json:"state"`
	Post  bool              `json:"post"`
	Kept  bool              `json:"kept"`
	Epoch int64             `json:"epoch"`
	Index int64             `json:"index"`
	Place int64             `json:"place"`
	X     int64             `json:"x"`
	Opens int64             `json:"opens"`
	Begin int64             `json:"begin"`
	Now   int64             `json:"now"`
	T     map[string]string `json:"t"`
}

// view is Data in words.
type view struct {
	Data
	Lang, DocTitle, Big, Unit, Head, Text, Wait, PlaceText, RateText, OpensText, JoinedText, Button, DrawText, Source string

	Percent, Offset, DotX, DotY         int
	Word, NoRope, Pulse, Draw, DrawOpen bool
	T                                   map[string]string
	CSS                                 template.CSS
	JS                                  template.JS
	JSON                                boot
}

// Render writes the page.
func Render(d Data) ([]byte, error) {
	lang := pick(d.Language)
	t := texts[lang]
	v := view{Data: d, Lang: lang, T: t, CSS: template.CSS(css), JS: template.JS(js), Head: t[d.State], Text: t[d.State+"Text"], Button: t["button"]}
	v.describe(t, lang)
	v.JSON = boot{Room: d.Room, Base: d.Base, Lang: lang, Title: d.Title, State: d.State, Post: d.Post, Kept: d.Kept != "", Epoch: d.Epoch, Index: d.Index,
		Place: d.Place, X: d.X, Now: d.Now.UnixMilli(), T: t}
	if !d.OpensAt.IsZero() {
		v.JSON.Opens = d.OpensAt.UnixMilli()
	}
	if !d.BeginsAt.IsZero() {
		v.JSON.Begin = d.BeginsAt.UnixMilli()
	}
	var b bytes.Buffer
	if err := tmpl.Execute(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (v *view) describe(t map[string]string, lang string) {
	v.Offset, v.DotX, v.DotY, v.NoRope, v.Word = 100, 24, 26, true, true
	v.Big = t[v.State+"Big"]
	switch v.State {
	case "waiting":
		v.NoRope = false
		if v.Ahead < 0 {
			v.Big = "..."
			break
		}
		v.Big, v.Word = number(v.Ahead, lang), false
		v.Unit = t["aheadN"]
		if v.Ahead < 2 {
			v.Unit = t["ahead"+number(v.Ahead, lang)]
		}
		v.Wait = span(t, lang, v.Low, v.High)
	case "next":
		v.NoRope, v.Pulse, v.Offset, v.Percent, v.DotX = false, true, 0, 100, 376
	case "scheduled":
		v.Big, v.Unit, v.Word = countdown(v.BeginsAt.Sub(v.Now)), t["scheduledBig"], false
		v.OpensText = v.BeginsAt.UTC().Format("2006-01-02 15:04 UTC")
	case "prequeue":
		v.Big = t["prequeueHand"]
		if !v.OpensAt.IsZero() {
			v.Big, v.Unit, v.Word = countdown(v.OpensAt.Sub(v.Now)), t["prequeueBig"], false
			v.OpensText = v.OpensAt.UTC().Format("2006-01-02 15:04 UTC")
		}
		v.JoinedText = number(max(0, v.Joined), lang)
	case "fresh":
		v.Button = t["buttonJoin"]
	}
	if v.Place >= 0 && (v.State == "waiting" || v.State == "next" || v.State == "paused") {
		v.PlaceText = number(v.Place+1, lang)
	}
	if v.State == "waiting" && v.RatePerSecond > 0 {
		v.RateText = strings.ReplaceAll(t["rateValue"], "{n}", number(int64(v.RatePerSecond*60+.5), lang))
	}
	v.Draw, v.DrawOpen = v.Commit != "", v.State == "prequeue" || v.State == "scheduled"
	v.DrawText, v.Source = drawSentence(t, v.EntropySource)
	v.DocTitle = v.Big + " · " + v.Title
}
