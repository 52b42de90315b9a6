package caddymodule

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"sync"

	"github.com/ropeline/ropeline/admission/line"
)

const (
	leafBytes = 32
	leafLine  = 2*leafBytes + 1
	// listChunk is how many leaves are written at a time.
	listChunk = 512
)

// drawList is the list of a draw's participants, read once a line: it never changes again, and a million of them are 32 MB
// that must not be there for each reader.
type drawList struct {
	mu     sync.Mutex
	epoch  int64
	root   [32]byte
	leaves []byte
}

func (d *drawList) get(ctx context.Context, r *line.Room) ([]byte, error) {
	draw, epoch := r.Snapshot().Draw, r.Snapshot().Epoch
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.leaves != nil && d.epoch == epoch && d.root == draw.Root {
		return d.leaves, nil
	}
	var raw bytes.Buffer
	raw.Grow(int(max(0, draw.N)) * leafBytes)
	if err := r.DrawList(ctx, &raw); err != nil {
		return nil, err
	}
	d.epoch, d.root, d.leaves = epoch, draw.Root, raw.Bytes()
	return d.leaves, nil
}

// serveDrawList writes SHA-256(vid) of all participants, in hex, one a line, in arrival order.
func (h *Handler) serveDrawList(w http.ResponseWriter, r *http.Request) error {
	leaves, err := h.room.list.get(r.Context(), h.room.line)
	if err != nil {
		if errors.Is(err, line.ErrRetry) {
			return problem{Status: http.StatusNotFound, Code: "no_draw", Detail: "The list of participants is published at the opening.", RetryAfter: 10}.write(w, r)
		}
		return h.unavailable(w, r)
	}
	publicHead(w, len(leaves)/leafBytes*leafLine, "text/plain; charset=utf-8", "public, max-age=1, s-maxage=1")
	if r.Method == http.MethodHead {
		return nil
	}
	out := make([]byte, 0, listChunk*leafLine)
	for len(leaves) >= leafBytes {
		out = append(hex.AppendEncode(out, leaves[:leafBytes]), '\n')
		leaves = leaves[leafBytes:]
		if len(out) == cap(out) || len(leaves) < leafBytes {
			if _, err := w.Write(out); err != nil {
				return nil // the reader is gone
			}
			out = out[:0]
		}
	}
	return nil
}
