// Package fakepay is a payment provider that one can break on purpose: a real
// HTTP server with its own memory, card page, signed webhooks and switchable
// faults, and the client (Client) through which the booking core speaks to it.
//
// The server knows nothing of the core and the core uses only its API, so its
// list of payments is the independent truth that checkers compare against.
//
//	POST /v1/payments                      {reference, amount, currency, card_token}, Idempotency-Key
//	GET  /v1/payments/{id}                 one payment
//	GET  /v1/payments?reference=R          by the merchant's reference; 404 if unknown
//	GET  /v1/payments?after=&limit=        everything, oldest first
//	POST /v1/payments/{id}/capture|refund  {amount}, Idempotency-Key
//	POST /v1/payments/{id}/void            Idempotency-Key
//	GET  /v1/settlements?from=&until=      what moved, as CSV, with planted defects if wanted
//	GET  /card?amount&currency&reference&return   the hosted card page
//	GET|POST|DELETE /control               faults (control.go)
//	POST /control/webhooks                 send a payment's notice again, forged if wanted
//	POST /control/payouts                  {amount, currency}: money goes to the merchant's bank
//	POST /control/payments/{id}/{what}     what happens without the merchant: refund, dispute, void, capture
//
// A payment is {id, reference, amount, currency, status, authorized, captured,
// voided, refunded, declined, decline_code, dispute, created}: amounts in minor
// units, cumulative. Webhooks are POSTed with
// "Fakepay-Signature: t=<unix>,v1=<hex HMAC-SHA256 of t "." body>".
package fakepay
