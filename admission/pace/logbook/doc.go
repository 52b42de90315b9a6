// Package logbook keeps every decision of a controller with all that it was made from, one JSON object a line, so that one
// can be explained long after it was made, an event be accounted for, and an evening be played again.
//
// The first line of a file, and each one after a change, holds the configuration; every other holds one second. Limits that
// do not bind are left out, counts by age are pairs of bucket and number: a busy second has one to three kilobytes.
package logbook
