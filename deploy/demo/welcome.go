package main

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"

	"github.com/ropeline/ropeline/deploy/stack"
)

// welcome says what is open where, and what to try first.
func welcome(w io.Writer, s *stack.Stack, local, embedded bool) {
	fmt.Fprintf(w, "\nThe doors are open.\n\n")
	line := func(what, address string) { fmt.Fprintf(w, "  %-24s %s\n", what, address) }
	line("storefront", fmt.Sprintf("http://localhost:%d/", s.EdgePort()))
	if local {
		line("from other machines", "not at all, as --local asks")
	} else {
		nearby := reachable(net.InterfaceAddrs())
		for _, ip := range nearby {
			line("from a phone nearby", fmt.Sprintf("http://%s/", net.JoinHostPort(ip.String(), fmt.Sprint(s.EdgePort()))))
		}
		if len(nearby) == 0 {
			line("from a phone nearby", "no address: this machine has no network interface but its own loopback")
		} else {
			line("", "(and from whatever else reaches this machine: signing in needs no password; `make demo LOCAL=1` keeps others out)")
		}
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
  2. Choose an event, take two places, pay with the card 4242 4242 4242 4242, look at your tickets. Any e-mail address
     signs in.
  3. Take seats and walk away: after 8 minutes somebody else gets them.
  4. Pay with 4000 0000 0000 0341: the provider's answer is lost. The page asks you to wait,
     finds out by itself within seconds, and never charges twice.
  5. Steer the room:
       curl -X POST -H 'Content-Type: application/json' -d '{"rate":"5/s"}' %s/ropeline/rooms/%s/rate
       curl -X POST %s/ropeline/rooms/%s/pause    (and .../resume)

make demo-addresses says all this again. Ctrl-C stops everything and keeps the data; make demo-reset forgets it.
`, crowdSize, s.AdminURL(), stack.Room, s.AdminURL(), stack.Room)
}

// maxNearby bounds the list: a machine may have dozens of addresses, and one is enough.
const maxNearby = 4

// reachable are the addresses at which another machine could open the storefront, IPv4 first since they can be typed. Which of
// them a phone really reaches only the network knows, so private and public ones are shown alike; link-local ones are not, as
// browsers refuse their zone.
func reachable(addrs []net.Addr, err error) (out []netip.Addr) {
	if err != nil {
		return nil
	}
	for _, a := range addrs {
		prefix, err := netip.ParsePrefix(a.String())
		if err != nil {
			continue
		}
		if ip := prefix.Addr().Unmap(); ip.IsGlobalUnicast() {
			out = append(out, ip)
		}
	}
	slices.SortStableFunc(out, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	return out[:min(len(out), maxNearby)]
}
