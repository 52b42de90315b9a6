// Package seatmap says what of an event is free, in as few bytes as there are
// facts: two bits a seat, so that a stadium of 60,000 seats is 15,000 bytes
// before compression, and a change of fifty seats is some two hundred.
//
// A map is advice. It was true at some moment of the last seconds; only a hold
// decides whether a seat is free.
//
// # Packed seats
//
// Seats are numbered 1..n without gaps, in the order of the venue's geometry
// document. Seat s lies in byte (s-1)/4, in the bits 2*((s-1)%4) and above:
// seat 1 is the two low bits of byte 0, seat 4 the two high bits of byte 0,
// seat 5 the two low bits of byte 1. Unused high bits of the last byte are 0.
// The length is Size(n) = ceil(n/4) bytes. The four values are those of State.
//
// In JavaScript: (bytes[(s-1)>>2] >> (((s-1)&3)*2)) & 3.
//
// # Frames
//
// A Map (snapshot) and a Delta have one binary form each. Numbers are unsigned
// LEB128 varints (the "uvarint" of encoding/binary) in their shortest form, at
// most 63 bits; CRC is CRC-32C (Castagnoli), four bytes, little-endian.
//
//	offset  bytes  snapshot             delta
//	0       4      "RLSM"               "RLSM"
//	4       1      format, 1            format, 1
//	5       1      kind, 1              kind, 2
//	6       8      geometry             geometry
//	14             version: v, e        from: v, e
//	               seats n              to: v, e
//	               counters             seats n
//	               packed seats         counters, the changed ones
//	                                    changes
//	                                    4 bytes: CRC of the packed seats it leads to
//	end-4   4      CRC of all before    CRC of all before
//
// geometry is the first eight bytes of the SHA-256 that names the geometry
// document, or zeros for an event without seats.
//
// counters: their number, then for each the distance of its id from the id
// before it (the first from 0, so no distance is 0) and its Level.
//
// changes: their number, then for each 4*d + state, where d is the distance of
// its seat from the seat before it (the first from 0).
//
// Both kinds have a JSON form with the same facts (Map.JSON, Delta.JSON). Bytes
// that the encoder would not have written are refused, all of them: a map is
// one string of bytes and its checksum names it. Nothing in a frame can make
// the decoder allocate more than a small multiple of the frame's own length.
//
// # Versions
//
// A Version is v.e: v counts committed changes of the event, e is the second in
// which the last hold that ran out did so. Holds end without any write, so v
// alone does not name what a map shows. Versions are ordered, v first.
package seatmap
