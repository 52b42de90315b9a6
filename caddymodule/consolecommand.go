package caddymodule

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "console",
		Usage: "[--listen 127.0.0.1:2020] [--address localhost:2019]",
		Short: "Opens the page on which the admission of the rooms is watched and steered",
		Long: `Serves the console to a browser on this machine, and passes what it asks to the admin API
of a running ropeline. Caddy's admin listener lets no browser in by itself: a browser that
opens a page there is refused like any other site's.

	ropeline console
	ssh -L 2020:127.0.0.1:2020 edge1 ropeline console

Whoever can open it can steer the rooms, as with the admin API: keep it on this machine.`,
		CobraFunc: consoleFlags,
	})
}

const (
	consoleListen = "127.0.0.1:2020"
	consoleGrace  = 2 * time.Second
	mostAnswer    = 8 << 20
)

func consoleFlags(cmd *cobra.Command) {
	listen := cmd.Flags().String("listen", consoleListen, "address to listen on, of this machine alone; port 0 picks a free one")
	admin := cmd.Flags().String("address", caddy.DefaultAdminListen, "address of the admin API")
	cmd.SilenceUsage = true
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return runConsole(ctx, *listen, *admin, cmd.OutOrStdout())
	}
}

// runConsole serves until ctx ends.
func runConsole(ctx context.Context, listen, admin string, out io.Writer) error {
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--listen %s: write an address of this machine alone, for example %s, and come from elsewhere through ssh -L", listen, consoleListen)
	}
	api, err := newAdminClient(admin)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w: choose another port", listen, err)
	}
	srv := &http.Server{Handler: consoleHandler(api), ReadHeaderTimeout: adminTimeout}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	fmt.Fprintf(out, "http://%s%s\n", l.Addr(), consolePath)
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), consoleGrace)
	defer cancel()
	return srv.Shutdown(ctx)
}

// consoleHandler is the page and, below it, the rooms of an admin API.
func consoleHandler(api *adminClient) http.Handler {
	mux := http.NewServeMux()
	serve := func(pattern string, do func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := admit(w, r, do); err != nil {
				http.Error(w, `{"error":"the console failed"}`, http.StatusInternalServerError)
			}
		})
	}
	serve("/{$}", func(w http.ResponseWriter, r *http.Request) error {
		http.Redirect(w, r, consolePath, http.StatusSeeOther)
		return nil
	})
	serve(consolePath, servePage)
	serve(adminPrefix, api.passOn)
	serve(adminPrefix+"/", api.passOn)
	return mux
}

// adminClient asks one admin API, over whatever network it listens on.
type adminClient struct {
	address string
	base    string // http://host:port
	client  http.Client
}

func newAdminClient(address string) (*adminClient, error) {
	addr, err := caddy.ParseNetworkAddress(address)
	if err != nil || addr.PortRangeSize() > 1 {
		return nil, fmt.Errorf("--address %s: write the address of the admin API, for example %s", address, caddy.DefaultAdminListen)
	}
	base := "http://" + addr.JoinHostPort(0)
	if addr.IsUnixNetwork() {
		base = "http://127.0.0.1" // some host has to be named
	}
	return &adminClient{address: address, base: base, client: http.Client{Timeout: 2 * adminTimeout, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, addr.Network, addr.JoinHostPort(0))
		}}}}, nil
}

// passOn asks the admin API in the console's place: as a program, without anything of the browser's.
func (a *adminClient) passOn(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAdminBody))
	if err != nil {
		return refuse(http.StatusRequestEntityTooLarge, "body: %v", err)
	}
	ask, err := http.NewRequestWithContext(r.Context(), r.Method, a.base+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	ask.Header.Set("Content-Type", "application/json")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	resp, err := a.client.Do(ask)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return json.NewEncoder(w).Encode(map[string]string{"error": fmt.Sprintf("no admin API at %s: start ropeline with one (admin localhost:2019 in the Caddyfile, --admin with waiting-room), or name it with --address", a.address)})
	}
	defer resp.Body.Close()
	if link := resp.Header.Get("Link"); link != "" {
		w.Header().Set("Link", link)
	}
	w.WriteHeader(resp.StatusCode)
	_, err = io.Copy(w, io.LimitReader(resp.Body, mostAnswer))
	return err
}
