// Package record keeps every decision about a room's rate: a JSON line each second with all limits, all inputs and their
// ages, so that "why was it 12 at half past seven?" has an exact answer afterwards. The files are rotated by size and
// bounded altogether: the oldest goes.
package record
