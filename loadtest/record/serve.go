package record

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

const (
	headerTimeout = 10 * time.Second // a peer that never finishes its header
	drain         = 5 * time.Second  // for requests under way when the recorder stops
)

// Server is a listening Proxy.
type Server struct {
	proxy  *Proxy
	http   *http.Server
	addr   string
	served chan error
}

// Start listens on addr (port 0 picks a free one) and forwards to origin.
func Start(addr, origin, path string) (*Server, error) {
	proxy, err := New(origin, path)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("record: %w", err), proxy.Close())
	}
	s := &Server{
		proxy: proxy, addr: listener.Addr().String(), served: make(chan error, 1),
		http: &http.Server{Handler: proxy, ReadHeaderTimeout: headerTimeout},
	}
	go func() { s.served <- s.http.Serve(listener) }()
	return s, nil
}

// Addr is the host and port it listens on.
func (s *Server) Addr() string { return s.addr }

// Stop lets requests under way finish, then closes listener and file.
func (s *Server) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return errors.Join(err, s.proxy.Close())
}
