// Package migrations holds the numbered SQL files of the booking core's schema,
// embedded so that `bookingd migrate` needs no files beside the binary.
package migrations

import "embed"

// FS contains the goose migrations at its root.
//
//go:embed *.sql
var FS embed.FS
