// Package api is the HTTP side of the booking core.
//
// One table (routes.go) says for each route what is registered, what its caller
// needs (an account, an Idempotency-Key, a pass of the waiting room), how long its
// answer may be kept and what the OpenAPI document says of it. One function
// (refuse) turns an error into an answer. Handlers read the request, ask core/event
// or core/booking, and write what came back; they decide nothing.
//
// What is checked, in this order: sizes (limits.go), the pass, parameters, the
// other-site rule and the account, the key, the size of the body. Answers that
// belong to one person are "private, no-store"; what everybody sees is kept for a
// second; a venue's plan, named by its hash, for a year. A GET changes nothing.
//
// Everything that is not the API is given to the storefront, core/web.
package api
