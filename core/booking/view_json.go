package booking

import (
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// appendJSON writes the view as json.Marshal does, byte for byte: an answer of the
// hottest write is encoded while the event's version is locked. A test holds the two
// against each other.
func (v *HoldView) appendJSON(b []byte) []byte {
	b = appendUUID(append(b, `{"id":"`...), v.ID)
	b = appendText(append(b, `","event":`...), v.Event)
	b = appendText(append(b, `,"state":`...), v.State)
	b = append(b, `,"lines":[`...)
	for i := range v.Lines {
		if i > 0 {
			b = append(b, ',')
		}
		b = v.Lines[i].appendJSON(b)
	}
	b = strconv.AppendInt(append(b, `],"amount":`...), v.Amount, 10)
	b = appendText(append(b, `,"currency":`...), string(v.Currency))
	b = appendStamp(append(b, `,"expires_at":`...), v.ExpiresAt)
	b = appendStamp(append(b, `,"server_time":`...), v.ServerTime)
	return append(strconv.AppendInt(append(b, `,"version":`...), v.Version, 10), '}')
}

func (l *LineView) appendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"line":`...), int64(l.Line), 10)
	b = append(b, `,"seat":`...)
	if l.Seat != nil {
		b = strconv.AppendInt(b, int64(*l.Seat), 10)
	} else {
		b = append(b, "null"...)
	}
	b = appendText(append(b, `,"label":`...), l.Label)
	b = append(b, `,"counter":`...)
	if l.Counter != nil {
		b = strconv.AppendInt(b, *l.Counter, 10)
	} else {
		b = append(b, "null"...)
	}
	if l.Class != "" {
		b = appendText(append(b, `,"class":`...), l.Class)
	}
	b = strconv.AppendInt(append(b, `,"quantity":`...), int64(l.Quantity), 10)
	b = strconv.AppendInt(append(b, `,"price":`...), l.Price, 10)
	if l.Fare != "" {
		b = appendText(append(b, `,"fare":`...), l.Fare)
	}
	return append(b, '}')
}

func appendStamp(b []byte, s Stamp) []byte {
	return append(time.Time(s).UTC().AppendFormat(append(b, '"'), stampLayout), '"')
}

func appendUUID(b []byte, id uuid.UUID) []byte {
	const digits = "0123456789abcdef"
	for i, x := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			b = append(b, '-')
		}
		b = append(b, digits[x>>4], digits[x&15])
	}
	return b
}

// appendText quotes what needs no escape itself, and leaves the rest to those who
// know all of them.
func appendText(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(s) // of a string: cannot fail
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
