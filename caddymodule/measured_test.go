package caddymodule

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/pace/gate"
	"github.com/ropeline/ropeline/admission/pace/lead"
)

// How an answer ends says whether the origin failed: a 5xx, an error or an abort does, a visitor who leaves does not.
func TestWhatCountsAsFailure(t *testing.T) {
	e := newEdge(t, roomWith("pace auto"), "")
	h := &Handler{Room: "main", room: &room{line: e.room().line, paced: lead.New(slog.Default())}} // a meter that nobody else counts in
	conf, err := e.room().conf.Load().leadConfig("main", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h.room.paced.Configure(conf)
	defer h.room.paced.Close()
	m := h.room.paced.Meter
	answers := func(status int, err error) caddyhttp.Handler {
		return caddyhttp.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error {
			if status > 0 {
				w.WriteHeader(status)
			}
			return err
		})
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	at := time.Now()
	for name, c := range map[string]struct {
		next         caddyhttp.Handler
		ctx          context.Context
		asked, fails int64
	}{
		"good":           {answers(200, nil), nil, 1, 0},
		"nothing":        {answers(0, nil), nil, 1, 0},
		"not found":      {answers(404, nil), nil, 1, 0},
		"5xx":            {answers(502, nil), nil, 1, 1},
		"not found err":  {answers(0, caddyhttp.Error(404, nil)), nil, 1, 0},
		"dial":           {answers(0, caddyhttp.Error(502, errors.New("refused"))), nil, 1, 1},
		"other":          {answers(0, errors.New("reset")), nil, 1, 1},
		"visitor left":   {answers(0, caddyhttp.Error(499, context.Canceled)), gone, 0, 0},
		"late error":     {answers(200, errors.New("the body was cut")), nil, 1, 0},
		"early hints":    {caddyhttp.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error { w.WriteHeader(103); w.WriteHeader(503); return nil }), nil, 1, 1},
		"aborted":        {caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error { panic(http.ErrAbortHandler) }), nil, 1, 1},
		"aborted by him": {caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error { panic(http.ErrAbortHandler) }), gone, 0, 0},
	} {
		at = at.Add(time.Hour) // nothing of before is in the windows
		for range 11 {
			at = at.Add(time.Second)
			m.Saw(at)
		}
		r := httptest.NewRequest("GET", "/", nil)
		if c.ctx != nil {
			r = r.WithContext(c.ctx)
		}
		func() {
			defer func() { _ = recover() }()
			_ = h.measured(guard(httptest.NewRecorder(), &sessionOf{h.room, admission.Pass{NotBefore: h.room.now()}}), r, c.next)
		}()
		var sum gate.Sum
		g := sum.Gate([]gate.Edge{{Name: "e", Saw: m.Saw(at)}}, 1)
		if fails := int64(g.Failed*float64(g.Asked) + 0.5); g.Asked != c.asked || fails != c.fails {
			t.Errorf("%s: %d answers, %d failed; want %d, %d", name, g.Asked, fails, c.asked, c.fails)
		}
		if g.Flight != 0 {
			t.Errorf("%s: something is still under way", name)
		}
	}
}
