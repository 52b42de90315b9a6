package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

const wireTimeout = 30 * time.Second

// wire is one kept connection that speaks just enough HTTP/1.1: net/http's client costs more than the server it would
// measure, on the same two cores.
type wire struct {
	conn net.Conn
	r    *bufio.Reader
	body []byte // of the last answer, if kept
	keep bool

	note, noted string // a header to keep, and what the last answer said there
}

func dial(address string) (*wire, error) {
	c, err := net.DialTimeout("tcp", address, wireTimeout)
	if err != nil {
		return nil, err
	}
	return &wire{conn: c, r: bufio.NewReaderSize(c, 64<<10)}, nil
}

// ask sends one whole request and reads the answer.
func (w *wire) ask(request []byte) (status int, err error) {
	if err := w.conn.SetDeadline(time.Now().Add(wireTimeout)); err != nil {
		return 0, err
	}
	if _, err := w.conn.Write(request); err != nil {
		return 0, err
	}
	line, err := w.r.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 12 {
		return 0, fmt.Errorf("no status line: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, fmt.Errorf("no status line: %q", line)
	}
	length, chunked := -1, false
	for {
		if line, err = w.r.ReadSlice('\n'); err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			break
		}
		switch name, value, _ := bytes.Cut(line[:len(line)-2], []byte(": ")); {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		case w.note != "" && bytes.EqualFold(name, []byte(w.note)):
			w.noted = string(value)
		}
	}
	w.body = w.body[:0]
	switch {
	case chunked:
		return status, w.chunks()
	case length < 0:
		return status, errors.New("an answer without a length")
	}
	return status, w.take(length)
}

func (w *wire) chunks() error {
	for {
		line, err := w.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return err
		}
		if err := w.take(int(n)); err != nil {
			return err
		}
		if _, err := w.r.Discard(2); err != nil || n == 0 {
			return err
		}
	}
}

func (w *wire) take(n int) error {
	if !w.keep {
		_, err := w.r.Discard(n)
		return err
	}
	have := len(w.body)
	w.body = append(w.body, make([]byte, n)...)
	_, err := io.ReadFull(w.r, w.body[have:])
	return err
}

// once asks on a connection of its own and returns the body.
func once(address string, request []byte) (status int, body []byte, err error) {
	w, err := dial(address)
	if err != nil {
		return 0, nil, err
	}
	defer w.conn.Close()
	w.keep = true
	status, err = w.ask(request)
	return status, w.body, err
}

// request puts one together. Every header line ends with \r\n.
func request(method, path, headers string) []byte {
	if method != "GET" {
		headers += "Content-Length: 0\r\n"
	}
	return []byte(method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench\r\n" + headers + "\r\n")
}
