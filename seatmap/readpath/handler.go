package readpath

import (
	"net/http"
	"strconv"

	"github.com/ropeline/ropeline/seatmap"
)

// AsOf is the answer's header with the second (unix) at which the source last
// confirmed the map. It is not in the body: the same picture is the same bytes.
const AsOf = "Ropeline-Map-As-Of"

// ServeSnapshot answers with the whole map, or with ErrUnknown or the source's error
// and nothing written.
func (s *Shelf) ServeSnapshot(w http.ResponseWriter, r *http.Request, event string, asJSON bool) error {
	b, e, err := s.latest(r.Context(), event)
	if err != nil {
		return err
	}
	body, err := e.body(asJSON)
	if err == nil {
		b.answer(w, r, e, body)
	}
	return err
}

// ServeDelta answers with the way from an earlier version, or with a whole map where
// that is no longer known: a frame says what it is.
func (s *Shelf) ServeDelta(w http.ResponseWriter, r *http.Request, event string, from seatmap.Version, asJSON bool) error {
	b, e, err := s.latest(r.Context(), event)
	if err != nil {
		return err
	}
	body, err := b.since(e, from, asJSON)
	if err != nil {
		return err
	}
	if body == nil {
		if body, err = e.body(asJSON); err != nil {
			return err
		}
	}
	b.answer(w, r, e, body)
	return nil
}

func (e *Edition) body(asJSON bool) (*Body, error) {
	if asJSON {
		return e.JSON()
	}
	return e.Binary, nil
}

func (b *board) answer(w http.ResponseWriter, r *http.Request, e *Edition, body *Body) {
	h := w.Header()
	h["Cache-Control"] = e.cache
	h[AsOf] = []string{strconv.FormatInt(b.heard.Load()/1000, 10)}
	body.Serve(w, r)
}
