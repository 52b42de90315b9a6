package admission

import "time"

const (
	inviteTyp  = "ropeline-invite+jwt"
	inviteKind = "invite"
	// MaxInvite is how long an invitation may be valid: no longer than a ticket key verifies after its rotation.
	MaxInvite = TicketRetention
)

// Invitation is an operator's word that whoever bears it may join: before the pre-queue begins, in a room for the
// invited alone, and without further checks. It is one identity: however often it is used, it is one place.
type Invitation struct {
	Room     string
	ID       VID
	IssuedAt time.Time
	Expires  time.Time
}

type inviteClaims struct {
	Iss  string `json:"iss"`
	Aud  string `json:"aud"`
	Sub  string `json:"sub"`
	Kind string `json:"kind"`
	Iat  int64  `json:"iat"`
	Exp  int64  `json:"exp"`
}

// SignInvitation signs with the ticket key in force: only edges and whoever holds their keys can make one.
func (r *Keyring) SignInvitation(i Invitation) (string, error) {
	k, err := r.signer(UseTicket, i.IssuedAt)
	if err != nil {
		return "", err
	}
	return sign(k, inviteTyp, inviteClaims{Iss: issuer, Aud: i.Room, Sub: string(i.ID), Kind: inviteKind, Iat: i.IssuedAt.Unix(), Exp: i.Expires.Unix()})
}

// VerifyInvitation checks an invitation to one room.
func (r *Keyring) VerifyInvitation(raw, room string, now time.Time) (Invitation, error) {
	var c inviteClaims
	if err := open(raw, inviteTyp, func(kid string) (*Key, error) { return r.find(UseTicket, kid, now) }, &c); err != nil {
		return Invitation{}, err
	}
	id, err := ParseVID(c.Sub)
	switch {
	case c.Kind != inviteKind:
		return Invitation{}, invalid(ReasonType, "kind %q", clip(c.Kind))
	case c.Iss != issuer || c.Aud != room:
		return Invitation{}, invalid(ReasonRoom, "issued by %q for %q", clip(c.Iss), clip(c.Aud))
	case err != nil:
		return Invitation{}, invalid(ReasonClaims, "a claim is out of its range")
	case now.After(time.Unix(c.Exp, 0)):
		return Invitation{}, invalid(ReasonExpired, "an invitation that ended %s ago", now.Sub(time.Unix(c.Exp, 0)).Round(time.Second))
	}
	return Invitation{Room: room, ID: id, IssuedAt: time.Unix(c.Iat, 0), Expires: time.Unix(c.Exp, 0)}, nil
}
