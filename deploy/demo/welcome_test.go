package main

import (
	"errors"
	"fmt"
	"net"
	"testing"
)

func TestAPhoneIsToldEveryAddressItCouldReach(t *testing.T) {
	var addrs []net.Addr
	for _, text := range []string{"127.0.0.1/8", "::1/128", "fe80::1/64", "169.254.3.4/16", "2001:db8::7/64", "fd00::7/64", "100.64.1.2/10", "203.0.113.9/24", "192.168.1.5/24"} {
		ip, n, err := net.ParseCIDR(text)
		if err != nil {
			t.Fatal(err)
		}
		n.IP = ip
		addrs = append(addrs, n)
	}
	want := "[100.64.1.2 203.0.113.9 192.168.1.5 2001:db8::7]"
	if got := fmt.Sprint(reachable(addrs, nil)); got != want {
		t.Errorf("%s, want %s: not loopback, not link-local, IPv4 first, few", got, want)
	}
	if got := reachable(addrs, errors.New("no netlink")); got != nil {
		t.Errorf("%v without a list of interfaces", got)
	}
}
