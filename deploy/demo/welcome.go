package main

import (
	"fmt"
	"io"
	"net"

	"github.com/ropeline/ropeline/deploy/stack"
)

// welcome says what is open where, and what to try first.
func welcome(w io.Writer, s *stack.Stack, embedded bool) {
	fmt.Fprintf(w, "\nThe doors are open.\n\n")
	line := func(what, address string) { fmt.Fprintf(w, "  %-24s %s\n", what, address) }
	line("storefront", fmt.Sprintf("http://localhost:%d/", s.EdgePort()))
	for _, ip := range lanAddresses() {
		line("from a phone nearby", fmt.Sprintf("http://%s/", net.JoinHostPort(ip, fmt.Sprint(s.EdgePort()))))
	}
	line("the line, public", s.EdgeURL()+"/.well-known/ropeline/"+stack.Room+"/status")
	line("the room, for operators", s.AdminURL()+"/ropeline/rooms/"+stack.Room)
	line("metrics", s.AdminURL()+"/metrics and "+s.InternalURL()+"/metrics")
	line("API description", s.BookingURL()+"/openapi.json")
	line("logs and data", s.Dir())
	if embedded {
		line("without Redis", "the line lives in the edge itself")
	}
	fmt.Fprintf(w, `
What to try

  1. Open the storefront: some %d virtual visitors are before you, one a second walks in. Wait, or open a second
     browser and see that the place is yours alone.
  2. Choose a concert, take two seats, pay with the card 4242 4242 4242 4242, look at your tickets.
  3. Take seats and walk away: after 8 minutes somebody else gets them.
  4. Pay with 4000 0000 0000 0341: the provider's answer is lost. The order says so and finds out by itself.
  5. Steer the room:
       curl -X POST -H 'Content-Type: application/json' -d '{"rate":"5/s"}' %s/ropeline/rooms/%s/rate
       curl -X POST %s/ropeline/rooms/%s/pause    (and .../resume)

Ctrl-C stops everything and keeps the data; make demo-reset forgets it.
`, crowdSize, s.AdminURL(), stack.Room, s.AdminURL(), stack.Room)
}

// lanAddresses are this machine's private IPv4 addresses: what a phone in the same network can reach.
func lanAddresses() (out []string) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, a := range addrs {
		n, ok := a.(*net.IPNet)
		if ok && n.IP.To4() != nil && n.IP.IsPrivate() {
			out = append(out, n.IP.String())
		}
	}
	return out
}
