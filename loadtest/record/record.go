// Package record is a reverse proxy that stands between the edge and an origin
// and notes every request that came through: the ground truth for "nobody
// reaches the origin without a pass", which no log of the edge can be.
package record

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/ropeline/ropeline/loadtest/linefile"
)

const (
	// PassHeader carries the pass from the edge to the origin.
	PassHeader = "Ropeline-Pass"

	idleConns   = 1024             // kept open to the origin: a crowd must not redial for each request
	idleTimeout = 90 * time.Second // of a connection to the origin
)

// Request is one line of the recorder's file.
type Request struct {
	At     time.Time `json:"t"`      // when it arrived here, UTC
	Method string    `json:"method"` //
	Path   string    `json:"path"`   // without the query
	Pass   string    `json:"pass"`   // Ropeline-Pass as it came; "" without one
	Status int       `json:"status"` // what the origin answered; 502 when it could not be reached
	Millis float64   `json:"ms"`     // until the answer was complete
}

// Proxy forwards to an origin and records. It is an http.Handler.
type Proxy struct {
	forward *httputil.ReverseProxy
	pool    *http.Transport
	file    *linefile.File
}

// New forwards to origin ("http://127.0.0.1:9000") and writes to path, whose
// old content is replaced.
func New(origin, path string) (*Proxy, error) {
	to, err := url.Parse(origin)
	if err != nil || to.Scheme == "" || to.Host == "" {
		return nil, fmt.Errorf("record: origin %q is not an address like http://127.0.0.1:9000", origin)
	}
	file, err := linefile.Create("record", path)
	if err != nil {
		return nil, err
	}
	pool := &http.Transport{
		MaxIdleConns: idleConns, MaxIdleConnsPerHost: idleConns, IdleConnTimeout: idleTimeout,
		DisableCompression: true, // bytes pass as they are
	}
	p := &Proxy{pool: pool, file: file}
	p.forward = &httputil.ReverseProxy{
		Transport: pool,
		ErrorLog:  log.New(io.Discard, "", 0), // a dead origin is in the file, as 502, once per request
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host
			// The origin sees what the edge said about the visitor, not us.
			for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded"} {
				if v, ok := r.In.Header[name]; ok {
					r.Out.Header[name] = v
				}
			}
		},
	}
	return p, nil
}

// ServeHTTP forwards one request and records it, also when the client went away.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	seen := Request{At: time.Now().UTC(), Method: r.Method, Path: r.URL.Path, Pass: r.Header.Get(PassHeader)}
	status := &statusWriter{ResponseWriter: w}
	defer func() { // ReverseProxy panics with http.ErrAbortHandler when an answer breaks off
		seen.Status, seen.Millis = status.code, float64(time.Since(seen.At).Microseconds())/1000
		p.file.Write(json.Marshal(seen))
	}()
	p.forward.ServeHTTP(status, r)
}

// Close ends the file. The server that uses the proxy must have stopped before.
func (p *Proxy) Close() error {
	p.pool.CloseIdleConnections()
	return p.file.Close()
}

// statusWriter remembers the status. Unwrap keeps flushing and hijacking alive.
type statusWriter struct {
	http.ResponseWriter
	code int
}

func (w *statusWriter) WriteHeader(code int) {
	if w.code < http.StatusOK { // 1xx answers come before the real one
		w.code = code
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	if w.code < http.StatusOK {
		w.code = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
