package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/core/api"
	"github.com/ropeline/ropeline/core/api/issuer"
	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pg/migrate"
	"github.com/ropeline/ropeline/core/ticket"
	"github.com/ropeline/ropeline/seatmap/readpath"
)

// grace is how long requests under way may take once the listener is closed: longer
// than the 5 s after which a COMMIT is answered with outcome_unknown.
const grace = 15 * time.Second

// serve runs until ctx ends. What is started is stopped in the opposite order:
// first the listener (nobody new), then the requests, then the loops, last the
// pool. The internal listener lives longest, so that the end can be watched.
func serve(ctx context.Context, errOut io.Writer) error {
	c, err := loadConfig(environment())
	if err == nil {
		err = c.forServe()
	}
	if err != nil {
		return err
	}
	tuneMemory()
	log := slog.New(slog.NewJSONHandler(errOut, nil))
	for _, name := range unknown(environment()) {
		log.Warn("a variable that nothing reads; `bookingd help` lists those there are", "variable", name)
	}
	db, err := pg.Open(ctx, c.DatabaseURL, pg.Options{MaxConns: c.DatabaseConns})
	if err != nil {
		return bad("DATABASE_URL", "%v", err)
	}
	defer db.Close()
	if err := migrate.Check(ctx, db.Pool); err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	maps, closeMaps, err := openMaps(ctx, c, db, log, registry)
	if err != nil {
		return err
	}
	defer closeMaps()
	engine, front, err := build(c, db, maps, log, registry)
	if err != nil {
		return err
	}
	public, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return bad("LISTEN", "%v; choose a free address", err)
	}
	internal, err := net.Listen("tcp", c.InternalListen)
	if err != nil {
		_ = public.Close()
		return bad("INTERNAL_LISTEN", "%v; choose a free address", err)
	}

	loops, stopLoops := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLoops()
	looped := make(chan error, 1)
	go func() { looped <- engine.Run(loops) }()
	go func() { _ = maps.Run(pg.Aside(loops)) }() // it ends with the loops; what it shows is memory

	servers := [2]*http.Server{httpServer(front, log), httpServer(internalHandler(front, registry, split(c.TelemetrySecrets)), log)}
	servers[0].RegisterOnShutdown(maps.EndStreams)
	failed := make(chan error, 2)
	for i, l := range []net.Listener{public, internal} {
		go func() { failed <- servers[i].Serve(l) }()
	}
	log.Info("serving", "listen", public.Addr().String(), "internal", internal.Addr().String(), "pass", c.Pass, "dev_issuer", c.DevIssuer, "version", version())
	if c.DevIssuer == "on" {
		log.Warn("the development sign-in is on: anybody can become anybody")
	}

	select {
	case <-ctx.Done():
		log.Info("ending")
		front.Drain()
		pause(c.drain)
	case err = <-failed:
	}
	err = errors.Join(serverError(err), shutdown(servers[0]))
	stopLoops()
	err = errors.Join(err, <-looped, shutdown(servers[1]))
	log.Info("ended")
	return err
}

// build wires the parts.
func build(c config, db *pg.DB, maps *readpath.Shelf, log *slog.Logger, registry prometheus.Registerer) (*booking.Engine, *api.API, error) {
	dev := c.DevIssuer == "on"
	accounts, err := issuer.Load(c.IssuerKeyFile, dev)
	if err != nil {
		return nil, nil, bad("ISSUER_KEY_FILE", "%v; make one with `openssl genpkey -algorithm ed25519`, or set %sDEV_ISSUER=on for development", err, prefix)
	}
	tickets, err := ticket.LoadSigner(c.TicketKeyFile, dev)
	if err != nil {
		return nil, nil, bad("TICKET_KEY_FILE", "%v; make one with `openssl genpkey -algorithm ed25519`, or set %sDEV_ISSUER=on for development", err, prefix)
	}
	providers, err := providersOf(c)
	if err != nil {
		return nil, nil, err
	}
	engine, err := booking.New(booking.Config{SweepOff: c.Sweep == "off"}, db,
		booking.Deps{Log: log, Metrics: registry, Providers: providers, Tickets: tickets})
	if err != nil {
		return nil, nil, err
	}
	o := api.Options{DB: db, Booking: engine, Maps: maps, Issuer: accounts, DevIssuer: dev, TrustedProxies: c.proxies, Lock: c.lock,
		Holds: api.PacesOf(c.holds[0], c.holds[1]), Payments: api.PacesOf(c.payments[0], c.payments[1]), Log: log, Metrics: registry,
		Ready: func(ctx context.Context) error { return migrate.Check(ctx, db.Pool) }}
	if c.Pass == "required" {
		o.Room = c.PassRoom
		if o.Passes, err = admission.NewVerifier(admission.Options{JWKSURL: c.PassJWKSURL, Room: c.PassRoom}); err != nil {
			return nil, nil, bad("PASS_JWKS_URL", "%v", err)
		}
	}
	front, err := api.New(o)
	return engine, front, err
}

// httpServer bounds how long a connection may take for each of its steps.
func httpServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, MaxHeaderBytes: api.MaxServerHeader,
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 20 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// internalHandler is for the operator's network only.
func internalHandler(front *api.API, registry *prometheus.Registry, secrets []string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry}))
	mux.Handle("GET /telemetry", front.Telemetry(instance(), secrets))
	mux.Handle("GET /healthz", front)
	mux.Handle("GET /readyz", front)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	return mux
}

// instance names this process among those that serve one shop, also when they run on one machine or in turn.
func instance() string {
	host, err := os.Hostname()
	if err != nil {
		host = "bookingd"
	}
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()[:6])
}

// shutdown waits for the requests under way, then cuts what is left.
func shutdown(s *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests were cut after %s: %w", grace, err), s.Close())
	}
	return nil
}

func serverError(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func pause(d time.Duration) {
	if d > 0 {
		time.Sleep(d) // the load balancer notices meanwhile; a second signal ends it
	}
}
