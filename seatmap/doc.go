// Package seatmap packs the availability of an event's seats into two bits a
// seat, so that the map of a stadium with 60,000 seats is 15,000 bytes before
// compression and costs the same whether one seat is sold or all of them.
//
// # Layout
//
// Seats are numbered 1..n without gaps, in the order of the venue's geometry
// document. Seat s lies in byte (s-1)/4, in the bits 2*((s-1)%4) and above:
// seat 1 is the two low bits of byte 0, seat 4 the two high bits of byte 0,
// seat 5 the two low bits of byte 1. Unused high bits of the last byte are 0.
// The length of a packed map is Size(n) = ceil(n/4) bytes.
//
// In JavaScript: (bytes[(s-1)>>2] >> (((s-1)&3)*2)) & 3.
//
// A packed map is advice. It was true at some moment of the last second; only
// a hold decides whether a seat is free.
package seatmap
