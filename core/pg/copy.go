package pg

import (
	"bytes"
	"context"
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5"
)

// Copy is a COPY ... FROM STDIN BINARY in the making: rows whose columns are appended
// in the order of the statement. pgx.CopyFrom makes the same bytes through an
// interface value a column; a batch has thousands of them.
//
// Format: PostgreSQL manual, COPY, "Binary Format".
type Copy struct {
	buf  []byte
	null bool
}

// microseconds from 1970 to 2000, where the server's times begin.
const epoch2000 = 946_684_800_000_000

// NewCopy begins one of about so many bytes.
func NewCopy(size int) *Copy {
	c := &Copy{buf: make([]byte, 0, size+32)}
	c.buf = append(c.buf, "PGCOPY\n\xff\r\n\x00"...)
	c.buf = append(c.buf, 0, 0, 0, 0, 0, 0, 0, 0) // no flags, no extension
	return c
}

// Row begins a row of so many columns.
func (c *Copy) Row(columns int16) *Copy {
	c.buf = binary.BigEndian.AppendUint16(c.buf, uint16(columns))
	return c
}

// OrNull makes the next column NULL unless ok.
func (c *Copy) OrNull(ok bool) *Copy {
	c.null = !ok
	return c
}

// size appends a column's length and tells whether its bytes follow.
func (c *Copy) size(n int) bool {
	if c.null {
		c.null = false
		c.buf = append(c.buf, 0xff, 0xff, 0xff, 0xff)
		return false
	}
	c.buf = binary.BigEndian.AppendUint32(c.buf, uint32(n))
	return true
}

// Int16 is a smallint.
func (c *Copy) Int16(v int16) *Copy {
	if c.size(2) {
		c.buf = binary.BigEndian.AppendUint16(c.buf, uint16(v))
	}
	return c
}

// Int32 is an int.
func (c *Copy) Int32(v int32) *Copy {
	if c.size(4) {
		c.buf = binary.BigEndian.AppendUint32(c.buf, uint32(v))
	}
	return c
}

// Int64 is a bigint.
func (c *Copy) Int64(v int64) *Copy {
	if c.size(8) {
		c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(v))
	}
	return c
}

// Text is a text or char(n).
func (c *Copy) Text(v string) *Copy {
	if c.size(len(v)) {
		c.buf = append(c.buf, v...)
	}
	return c
}

// Bytes is a bytea.
func (c *Copy) Bytes(v []byte) *Copy {
	if c.size(len(v)) {
		c.buf = append(c.buf, v...)
	}
	return c
}

// UUID is a uuid.
func (c *Copy) UUID(v [16]byte) *Copy {
	if c.size(len(v)) {
		c.buf = append(c.buf, v[:]...)
	}
	return c
}

// Time is a timestamptz.
func (c *Copy) Time(v time.Time) *Copy {
	return c.Int64(v.UnixMicro() - epoch2000)
}

// Send runs the statement with these rows.
func (c *Copy) Send(ctx context.Context, tx pgx.Tx, sql string) error {
	_, err := tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(append(c.buf, 0xff, 0xff)), sql)
	return err
}
