package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

const wireTimeout = 30 * time.Second

// wire is one kept connection that speaks just enough HTTP/1.1: net/http's client costs as much as the server it would
// measure, on the same two cores.
type wire struct {
	conn net.Conn
	r    *bufio.Reader
	buf  bytes.Buffer
}

func dial(address string) (*wire, error) {
	c, err := net.DialTimeout("tcp", address, wireTimeout)
	if err != nil {
		return nil, err
	}
	return &wire{conn: c, r: bufio.NewReaderSize(c, 16<<10)}, nil
}

// post sends a hold of buyer b and returns the status and, unless it is 201, the body.
func (w *wire) post(b *person, slug string, seats [2]int32, places int, key int64) (status int, body []byte, err error) {
	w.buf.Reset()
	var json [96]byte
	text := json[:0]
	if places > 0 {
		text = fmt.Appendf(text, `{"places":[{"counter":1,"quantity":%d}]}`, places)
	} else {
		text = fmt.Appendf(text, `{"seats":[%d,%d]}`, seats[0], seats[1])
	}
	fmt.Fprintf(&w.buf, "POST /v1/events/%s/holds HTTP/1.1\r\nHost: bench\r\n%sIdempotency-Key: %d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		slug, b.headers, key, len(text), text)
	if err := w.conn.SetDeadline(time.Now().Add(wireTimeout)); err != nil {
		return 0, nil, err
	}
	if _, err := w.conn.Write(w.buf.Bytes()); err != nil {
		return 0, nil, err
	}
	return w.answer()
}

func (w *wire) answer() (status int, body []byte, err error) {
	line, err := w.r.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if len(line) < 12 {
		return 0, nil, fmt.Errorf("no status line: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, nil, fmt.Errorf("no status line: %q", line)
	}
	length := -1
	for {
		if line, err = w.r.ReadSlice('\n'); err != nil {
			return 0, nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if name, value, _ := bytes.Cut(line, []byte(": ")); bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, nil, err
			}
		}
	}
	if length < 0 {
		return 0, nil, fmt.Errorf("answer %d without Content-Length", status)
	}
	if status == 201 {
		_, err = w.r.Discard(length)
		return status, nil, err
	}
	body = make([]byte, length)
	_, err = io.ReadFull(w.r, body)
	return status, body, err
}

// overHTTP makes one shooter a connection, over all addresses in turn.
func overHTTP(addresses []string, connections int, people []*person, want wish) ([]shooter, func(), error) {
	var wires []*wire
	closeAll := func() {
		for _, w := range wires {
			_ = w.conn.Close()
		}
	}
	shooters := make([]shooter, connections)
	for i := range shooters {
		w, err := dial(addresses[i%len(addresses)])
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		wires = append(wires, w)
		shooters[i] = func(n int64) (verdict, error) {
			slug, seats, places := want(n)
			status, body, err := w.post(people[scatter(n)%uint64(len(people))], slug, seats, places, n)
			switch {
			case err != nil:
				return failed, err
			case status == 201:
				return committed, nil
			case status == 409 && (bytes.Contains(body, []byte(`"seat_taken"`)) || bytes.Contains(body, []byte(`"not_enough_places"`))),
				status == 422 && bytes.Contains(body, []byte(`"limit_exceeded"`)):
				return refused, nil
			}
			return failed, fmt.Errorf("%d: %.300s", status, body)
		}
	}
	return shooters, closeAll, nil
}
