package fleet

import (
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/ropeline/ropeline/loadtest/record"
)

// Origin says hello, and a recorder before it notes who came.
type Origin struct {
	Recorder *record.Server
	File     string // of the recorder
	// Shift is what the store's clock shows at a moment of this machine's; nil: the same. The judge goes by the store's.
	Shift func(time.Time) time.Time
	plain *http.Server
}

// StartOrigin runs both; h answers, nil says hello.
func StartOrigin(file string, h http.Handler) (*Origin, error) {
	if h == nil {
		h = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello\n")) })
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	o := &Origin{File: file, plain: &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}}
	go func() { _ = o.plain.Serve(l) }()
	if o.Recorder, err = record.Start("127.0.0.1:0", "http://"+l.Addr().String(), file); err != nil {
		return nil, errors.Join(err, o.plain.Close())
	}
	return o, nil
}

// Addr is where the edges send whoever is inside.
func (o *Origin) Addr() string { return o.Recorder.Addr() }

// Stop ends both; the recorder's file is whole then.
func (o *Origin) Stop() error { return errors.Join(o.Recorder.Stop(), o.plain.Close()) }
