package seatmap

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Version names what a map shows: the same on every process that builds it.
type Version struct {
	V int64 // changes of the event committed so far, 0 or more
	E int64 // second (unix) of the latest hold that has run out and was not taken over, or 0
}

// Compare orders versions as time does: -1, 0 or +1.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.V, w.V), cmp.Compare(v.E, w.E))
}

// String gives "v.e", the form of URLs and answers.
func (v Version) String() string {
	return strconv.FormatInt(v.V, 10) + "." + strconv.FormatInt(v.E, 10)
}

// ParseVersion reads what String writes, and nothing else: one version has one
// name, so that a cache never keeps the same delta twice.
func ParseVersion(s string) (Version, error) {
	major, minor, ok := strings.Cut(s, ".")
	v, err1 := strconv.ParseInt(major, 10, 64)
	e, err2 := strconv.ParseInt(minor, 10, 64)
	parsed := Version{v, e}
	if !ok || err1 != nil || err2 != nil || v < 0 || e < 0 || parsed.String() != s {
		return Version{}, fmt.Errorf("seatmap: version %.40q, want two whole numbers with a dot, such as 17.1760000000", s)
	}
	return parsed, nil
}

// MarshalText and UnmarshalText make a version the string "v.e" in JSON.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (v *Version) UnmarshalText(text []byte) (err error) {
	*v, err = ParseVersion(string(text))
	return err
}
