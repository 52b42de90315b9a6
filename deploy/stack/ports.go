package stack

import (
	"errors"
	"fmt"
	"net"
)

// FreePorts returns n different loopback ports that nobody listens on.
func FreePorts(n int) ([]int, error) { return WishedPorts(nil, n) }

// WishedPorts is FreePorts with wishes: wish[i] is ports[i] unless somebody listens there. All are held open until the last is
// known, so that none is given twice; between this and the child's own listen another program could still take one, and then
// the child says so.
func WishedPorts(wish []int, n int) (ports []int, err error) {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			err = errors.Join(err, l.Close())
		}
	}()
	for i := range n {
		var l net.Listener
		err := errors.New("no wish")
		if i < len(wish) {
			l, err = net.Listen("tcp", loopback(wish[i]))
		}
		if err != nil {
			l, err = net.Listen("tcp", loopback(0))
		}
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		held = append(held, l)
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// PreferPort returns want if nobody listens on it on any interface, else a free port.
func PreferPort(want int) (int, error) {
	l, err := net.Listen("tcp", fmt.Sprintf(":%d", want))
	if err != nil {
		if l, err = net.Listen("tcp", ":0"); err != nil {
			return 0, fmt.Errorf("find a free port: %w", err)
		}
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
