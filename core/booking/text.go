package booking

import (
	"strings"
	"unicode/utf8"
)

// storable: PostgreSQL stores no NUL and nothing that is not UTF-8.
func storable(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// text is what can be stored of s, for sentences that may quote a stranger.
func text(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "?") }
