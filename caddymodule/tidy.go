package caddymodule

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/ropeline/ropeline/caddymodule/wire"
)

const (
	// maxCookieRooms is how many rooms' cookies one browser is left with: two cookies of 400 bytes each, and servers on the way
	// refuse headers of 8 KiB.
	maxCookieRooms = 8
	// maxTidied bounds the other rooms' tickets that one answer looks at.
	maxTidied = 32
)

// domainName is a registrable-looking name: labels of letters, digits and hyphens, two at least. A browser refuses public
// suffixes by itself.
var domainName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

func checkCookieDomain(d string) error {
	if d != "" && !domainName.MatchString(d) {
		return fmt.Errorf("cookie_domain %q: write the domain that all hosts of this line share, in lower case, without a dot before it, for example example.com", d)
	}
	return nil
}

// otherCookie is a cookie of another room.
type otherCookie struct{ name, part, room, value string }

// tidy clears what other rooms have left in a browser that gets a ticket here: tickets that are no use any more, and, of
// more than maxCookieRooms rooms, those of the rooms it joined first.
func (h *Handler) tidy(w http.ResponseWriter, r *http.Request) {
	others := h.otherRooms(r)
	if len(others) == 0 {
		return
	}
	var rooms []string
	inside, dead := map[string]bool{}, map[string]bool{}
	for i, c := range others {
		if !slices.Contains(rooms, c.room) {
			rooms = append(rooms, c.room)
		}
		inside[c.room] = inside[c.room] || c.part == passPart
		if c.part == ticketPart && i < maxTidied && h.dead(c) {
			dead[c.room] = true
		}
	}
	left := len(rooms) + 1
	drop := func(room string) {
		for _, c := range others {
			if c.room == room {
				h.clearOther(w, r, c)
			}
		}
		left--
	}
	rooms = slices.DeleteFunc(rooms, func(room string) bool {
		if dead[room] && !inside[room] {
			drop(room)
			return true
		}
		return false
	})
	// Whoever is inside a room is using it.
	for _, using := range []bool{false, true} {
		for _, room := range rooms {
			if left > maxCookieRooms && inside[room] == using {
				drop(room)
			}
		}
	}
}

// otherRooms lists our cookies of other rooms, as the browser sent them, without doubles.
func (h *Handler) otherRooms(r *http.Request) (out []otherCookie) {
	seen := map[string]bool{}
	for _, line := range r.Header["Cookie"] {
		if !strings.Contains(line, ticketPart) && !strings.Contains(line, passPart) {
			continue
		}
		for pair := range strings.SplitSeq(line, ";") {
			name, value, _ := strings.Cut(strings.Trim(pair, " \t"), "=")
			if !wire.OurCookie(name) || seen[name] {
				continue
			}
			seen[name] = true
			rest := strings.TrimPrefix(strings.TrimPrefix(name, hostPrefix), domainPrefix)
			c := otherCookie{name: name, part: rest[:len(ticketPart)], room: rest[len(ticketPart):], value: value}
			if c.room != h.Room && roomName.MatchString(c.room) && (rest != name) == secure(r) {
				out = append(out, c)
			}
		}
	}
	return out
}

// dead says whether another room's ticket is no place any more: not genuine, too old, or of a line that is over. Of a
// room that only other edges know nothing is said.
func (h *Handler) dead(c otherCookie) bool {
	other := h.app.claimed(c.room)
	if other == nil {
		return false
	}
	t, err := h.room.ring.Load().VerifyTicket(c.value, c.room, h.room.now())
	snap := other.room.line.Snapshot()
	return err != nil || known(snap) && t.Epoch != snap.Epoch && t.Index >= 0
}

func (h *Handler) clearOther(w http.ResponseWriter, r *http.Request, c otherCookie) {
	domain := ""
	if strings.HasPrefix(c.name, domainPrefix) || !secure(r) {
		domain = h.domainFor(r)
		if other := h.app.claimed(c.room); other != nil {
			domain = (&Handler{RoomConfig: other.conf}).domainFor(r)
		}
	}
	writeCookie(w, r, domain, c.part, c.room, "", 0)
}

func (a *App) claimed(room string) *claim {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.claims[room]
}
