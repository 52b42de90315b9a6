package drive

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

// Conn is one kept connection that speaks just enough HTTP/1.1: net/http's client costs more than the server it would
// measure, on the same two cores.
type Conn struct {
	conn net.Conn
	r    *bufio.Reader

	Keep bool   // keep the bodies of answers
	Body []byte // of the last answer, if kept

	Note, Noted string // a header to keep, and what the last answer said there
}

// Dial opens a connection to host:port.
func Dial(address string) (*Conn, error) {
	c, err := net.DialTimeout("tcp", address, wireTimeout)
	if err != nil {
		return nil, err
	}
	return &Conn{conn: c, r: bufio.NewReaderSize(c, 64<<10)}, nil
}

// Close ends the connection.
func (w *Conn) Close() error { return w.conn.Close() }

// Ask sends one whole request and reads the answer.
func (w *Conn) Ask(request []byte) (status int, err error) {
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
		case w.Note != "" && bytes.EqualFold(name, []byte(w.Note)):
			w.Noted = string(value)
		}
	}
	w.Body = w.Body[:0]
	switch {
	case chunked:
		return status, w.chunks()
	case length < 0:
		return status, errors.New("an answer without a length")
	}
	return status, w.take(length)
}

func (w *Conn) chunks() error {
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

func (w *Conn) take(n int) error {
	if !w.Keep {
		_, err := w.r.Discard(n)
		return err
	}
	have := len(w.Body)
	w.Body = append(w.Body, make([]byte, n)...)
	_, err := io.ReadFull(w.r, w.Body[have:])
	return err
}

// Once asks on a connection of its own and returns the body.
func Once(address string, request []byte) (status int, body []byte, err error) {
	w, err := Dial(address)
	if err != nil {
		return 0, nil, err
	}
	defer w.conn.Close()
	w.Keep = true
	status, err = w.Ask(request)
	return status, w.Body, err
}

// Request puts one together. Every header line ends with \r\n.
func Request(method, path, headers string) []byte {
	if method != "GET" {
		headers += "Content-Length: 0\r\n"
	}
	return []byte(method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench\r\n" + headers + "\r\n")
}
