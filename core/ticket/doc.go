// Package ticket writes and reads the signed text inside a ticket's QR code.
//
// A ticket is a row; its code is not stored but signed again whenever somebody
// looks, which Ed25519 makes the same bytes each time. A scanner with the
// published keys can verify a code without any connection:
//
//	RL1.<base64url of: key id (4) | event (8) | ticket (16) | hold version (4) |
//	     unit (2) | label (rest, UTF-8) | signature (64)>
//
// The signature is over everything before it, with "ropeline-ticket-1" in front
// so that a key used here can sign nothing else by accident. Whether a ticket
// was revoked is not in the code: that needs the list of revoked tickets.
package ticket
