package wire

import (
	"net/url"
	"path"
	"strings"
)

// PlainPath says whether a path can be read in one way only. Origins decode twice, cut at a semicolon, take a backslash
// for a slash or clean the path, and one that looks harmless here could be another there: what is beside the gate, by a
// preset or a matcher, is so in its plain spelling only.
func PlainPath(u *url.URL) bool {
	p := u.Path
	return strings.HasPrefix(p, "/") && !strings.Contains(u.RawPath, "%") && !strings.ContainsAny(p, "%\\;\x00\r\n") && (p == "/" || path.Clean(p) == strings.TrimSuffix(p, "/"))
}

// Location is a request-target as the value of a Location header, byte for byte. A path that begins with two slashes
// would name another host there, so it gets its own site in front.
func Location(target, site string) string {
	if len(target) > 1 && (target[1] == '/' || target[1] == '\\') {
		return site + target
	}
	return target
}
