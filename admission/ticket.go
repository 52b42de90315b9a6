package admission

import "time"

const (
	// TicketRetention is how long a ticket is accepted after it was issued. Within it, age never costs the place:
	// the edge answers with a fresh one.
	TicketRetention = 30 * 24 * time.Hour
	// NoIndex marks a ticket given while no index could be (the store is merging): it names the visitor only.
	NoIndex = int64(-1)

	ticketTyp   = "ropeline-ticket+jwt"
	ticketKind  = "ticket"
	maxIdentity = 64
)

// Ticket is a place in the line. It is the record; the store is only its index.
type Ticket struct {
	Room     string
	Epoch    int64  // the line it belongs to; a reset room has a new one
	VID      VID    // who
	Index    int64  // arrival index, dense from 0; NoIndex when none was given yet
	Identity string // hash of the signed identity, if the operator signs identities
	IssuedAt time.Time
	Drawn    bool  // Place and N are meaningful: the draw has been revealed
	Place    int64 // place in the line, 0 first
	N        int64 // number of participants of the draw
}

// ticketClaims is the wire form. Times are unix seconds, as in every JWT.
type ticketClaims struct {
	Iss   string `json:"iss"`
	Aud   string `json:"aud"`
	Sub   string `json:"sub"`
	Kind  string `json:"kind"`
	Epoch int64  `json:"ep"`
	Index int64  `json:"ix"`
	IDH   string `json:"idh,omitempty"`
	Iat   int64  `json:"iat"`
	Place *int64 `json:"pl,omitempty"`
	N     *int64 `json:"n,omitempty"`
}

// SignTicket signs with the newest ticket key that is in force at t.IssuedAt.
func (r *Keyring) SignTicket(t Ticket) (string, error) {
	k, err := r.signer(UseTicket, t.IssuedAt)
	if err != nil {
		return "", err
	}
	c := ticketClaims{Iss: issuer, Aud: t.Room, Sub: string(t.VID), Kind: ticketKind, Epoch: t.Epoch,
		Index: t.Index, IDH: t.Identity, Iat: t.IssuedAt.Unix()}
	if t.Drawn {
		c.Place, c.N = &t.Place, &t.N
	}
	return sign(k, ticketTyp, c)
}

// VerifyTicket checks a ticket for one room. The epoch is returned, not judged: only the room knows the present one.
func (r *Keyring) VerifyTicket(raw, room string, now time.Time) (Ticket, error) {
	var c ticketClaims
	find := func(kid string) (*Key, error) { return r.find(UseTicket, kid, now) }
	if err := open(raw, ticketTyp, find, &c); err != nil {
		return Ticket{}, err
	}
	if c.Kind != ticketKind {
		return Ticket{}, invalid(ReasonType, "kind %q", clip(c.Kind))
	}
	if c.Iss != issuer || c.Aud != room {
		return Ticket{}, invalid(ReasonRoom, "issued by %q for %q", clip(c.Iss), clip(c.Aud))
	}
	vid, err := ParseVID(c.Sub)
	if err != nil || c.Epoch < 0 || c.Index < NoIndex || len(c.IDH) > maxIdentity || (c.Place == nil) != (c.N == nil) {
		return Ticket{}, invalid(ReasonClaims, "a claim is out of its range")
	}
	t := Ticket{Room: room, Epoch: c.Epoch, VID: vid, Index: c.Index, Identity: c.IDH, IssuedAt: time.Unix(c.Iat, 0)}
	if c.Place != nil {
		t.Drawn, t.Place, t.N = true, *c.Place, *c.N
		if t.Place < 0 || t.N < 0 {
			return Ticket{}, invalid(ReasonClaims, "place %d of %d", t.Place, t.N)
		}
	}
	// One from the future is good, unlike a pass: it gives no access by itself, and when the store's clock is set back, all
	// who wait hold one. To refuse it would cost them the place.
	if now.Sub(t.IssuedAt) > TicketRetention+Leeway {
		return Ticket{}, invalid(ReasonExpired, "issued %s ago", now.Sub(t.IssuedAt).Round(time.Second))
	}
	return t, nil
}
