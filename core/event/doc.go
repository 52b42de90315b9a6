// Package event is the catalogue: venues, events, their prices and places, and
// what of them is free.
//
// It has two sides, and a record of every change (Records, written by triggers). Import brings a checked file (package eventfile) into the
// database inside a transaction the caller opened: idempotent by slug, all or
// nothing. Catalogue answers what everybody asks (list, search, one event, the
// geometry, the availability of seats), from tables that the sale's writes touch
// but never waiting for their locks.
//
// Everything Catalogue says of availability is advice that was true within the
// last second. A hold decides.
package event
