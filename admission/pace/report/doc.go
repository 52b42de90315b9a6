// Package report is the shape of what a room tells about its admission: the JSON documents of the admin API, which the
// console, `ropeline room explain` and whoever else asks read.
//
//	GET  /ropeline/rooms/<room>/pace                      Document
//	POST /ropeline/rooms/<room>/pace/override             Order -> Document
//	POST /ropeline/rooms/<room>/pace/override?preview=1   Order -> Preview; nothing is applied
//
// Rates are people a second, lengths seconds, work the resource's own units. A number that does not exist is left out: a
// limit that does not bind is missing from `limits`, for JSON has no infinity. testdata/document.json is a whole Document.
package report
