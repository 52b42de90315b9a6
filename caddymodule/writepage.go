package caddymodule

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/ropeline/ropeline/caddymodule/page"
)

// zips compress the page here: the handler stands outside `encode`, which would hold back streams of the origin.
var zips = sync.Pool{New: func() any { w, _ := gzip.NewWriterLevel(nil, page.Compression); return w }}

// pages are buffers of whole pages, of which a crowd asks thousands a second.
var pages = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// writePageWith renders the page; kept is a sealed form that it carries, or empty.
func (h *Handler) writePageWith(w http.ResponseWriter, r *http.Request, s standing, kept string) error {
	conf := h.room.conf.Load()
	depth, _ := s.Snap.Depth()
	d := page.Data{Room: h.Room, Title: conf.Title, Message: h.room.message(), Language: r.Header.Get("Accept-Language"), State: s.State,
		Base: reservedPrefix + h.Room + "/", Self: sameURL(r), Post: r.Method == http.MethodPost && kept == "", Kept: kept, Epoch: s.Snap.Epoch, Index: s.Index,
		Place: s.Place, X: s.X, Ahead: s.Ahead, Low: s.Low, High: s.High, Slow: s.Slow, Joined: depth,
		RatePerSecond: s.Snap.Settings.Rate.PerSecond(), OpensAt: s.Snap.Settings.OpensAt, BeginsAt: h.room.prequeueAt(), Now: h.room.now(), EntropySource: s.Snap.Draw.EntropySource}
	if left := newStockDoc(s.Snap, d.Now); left != nil {
		d.Stock = page.Stock{State: left.State, Available: left.Available, BackAt: backAt(left)}
	}
	d.Challenge, d.Bits, d.Bad, d.SignIn = s.Challenge, s.Bits, s.Bad, ""
	if s.To != "" {
		d.Self = s.To
	}
	if s.State == sawIdentify {
		d.SignIn = conf.SignIn
	}
	if s.State == sawWork && h.captcha != nil {
		d.Captcha, d.CaptchaClass, d.CaptchaKey = h.service.Script, h.service.Class, conf.CaptchaSiteKey
	}
	if d.Title == "" {
		d.Title = h.Room
	}
	if s.Snap.Draw.Commit != [32]byte{} && (s.State == sawPrequeue || s.State == sawSchedule || s.State == sawDrawing || s.Snap.N > 0) {
		d.Commit = hex.EncodeToString(s.Snap.Draw.Commit[:])
	}
	out := pages.Get().(*bytes.Buffer)
	defer pages.Put(out)
	out.Reset()
	if err := h.pages.RenderTo(out, d); err != nil {
		return err
	}
	body := out.Bytes()
	status := conf.QueueStatus
	if status == 0 {
		status = defaultQueueStatus
	}
	if s.State == sawKept {
		status = http.StatusOK // this page is what its visitor came for
	}
	private(w, "wait")
	policy := h.pages.Policy()
	head := w.Header()
	if s.State == sawFramed {
		policy = h.pages.FramedPolicy() // it has to be seen where it stands, and has nothing to press but a way out
	} else {
		head.Set("X-Frame-Options", "DENY")
	}
	set(head, "Content-Type", "text/html; charset=utf-8", "Content-Security-Policy", policy, "Retry-After", strconv.Itoa(s.RetryAfter))
	head.Add("Vary", "Accept, Accept-Encoding, Accept-Language, Cookie, Sec-Fetch-Dest, Sec-Fetch-Mode")
	zipped := strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
	if zipped {
		head.Set("Content-Encoding", "gzip")
	} else {
		head.Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return nil
	}
	if !zipped {
		_, _ = w.Write(body)
		return nil
	}
	z := zips.Get().(*gzip.Writer)
	defer zips.Put(z)
	z.Reset(w)
	_, _ = z.Write(body) // the visitor is gone if this fails
	_ = z.Close()
	return nil
}
