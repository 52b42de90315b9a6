package readpath

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/ropeline/ropeline/seatmap"
)

const (
	// MaxStreams of one process. Each is a goroutine and some kilobytes; polling a cached
	// document serves any number.
	MaxStreams = 2048

	beat        = 15 * time.Second // a comment, so that nothing in between gives the stream up
	streamLife  = 4 * time.Minute  // shorter than a pass; who stays connects again, each at another moment
	sendTimeout = 10 * time.Second // of one write: a reader that does not read is let go
)

// ErrFull is of a stream too many. The map can be polled instead.
var ErrFull = errors.New("readpath: too many streams")

// EndStreams lets every stream end, for a process that stops: its readers connect to
// another one.
func (s *Shelf) EndStreams() { s.end.Do(func() { close(s.ended) }) }

// ServeStream sends the map of an event as server-sent events: "map" with a whole map
// first, then "delta" with each change, id being the version. Last-Event-ID begins with
// the delta from there. It returns an error only before anything was sent.
func (s *Shelf) ServeStream(w http.ResponseWriter, r *http.Request, event string) error {
	b, _, err := s.latest(r.Context(), event)
	if err != nil {
		return err
	}
	if s.streams.Add(1) > MaxStreams {
		s.streams.Add(-1)
		return ErrFull
	}
	defer s.streams.Add(-1)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would collect them
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	var shown seatmap.Version
	know := false
	if v, err := seatmap.ParseVersion(r.Header.Get("Last-Event-ID")); err == nil {
		shown, know = v, true
	}
	life := time.NewTimer(streamLife + rand.N(streamLife/4)) // not all at once
	defer life.Stop()
	beats := time.NewTicker(beat)
	defer beats.Stop()
	for {
		e, turned := b.now()
		if !know || shown != e.Map.Version {
			if err := s.send(out, w, b, e, shown, know); err != nil {
				return nil // the reader is gone
			}
			shown, know = e.Map.Version, true
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-life.C:
			return nil
		case <-s.ended:
			return nil
		case <-turned:
		case <-beats.C:
			b.asked.Store(s.now().UnixMilli())
			if err := write(out, w, ":\n\n"); err != nil {
				return nil
			}
		}
	}
}

func (s *Shelf) send(out *http.ResponseController, w io.Writer, b *board, e *Edition, from seatmap.Version, know bool) error {
	kind, body := "map", (*Body)(nil)
	if know {
		d, err := b.since(e, from, true)
		if err != nil {
			return err
		}
		if d != nil {
			kind, body = "delta", d
		}
	}
	if body == nil {
		var err error
		if body, err = e.JSON(); err != nil {
			return err
		}
	}
	b.asked.Store(s.now().UnixMilli())
	return write(out, w, fmt.Sprintf("event: %s\nid: %s\ndata: %s\n\n", kind, e.Map.Version, body.raw))
}

func write(out *http.ResponseController, w io.Writer, text string) error {
	if err := out.SetWriteDeadline(time.Now().Add(sendTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return out.Flush()
}
