package api

import (
	"net/http"

	"github.com/ropeline/ropeline/core/booking"
)

const seatFrame = "application/vnd.ropeline.seatmap"

var notModified = answer{status: http.StatusNotModified}

// buying is what a call needs that takes places or money.
const buying = needPass | needAccount | needKey

// routes is the API. Everything that is registered, checked and documented is here.
var routes = []route{
	{method: "GET", pattern: "/v1/events", name: "searchEvents", summary: "Find events",
		query: searchParameters, answers: ok("EventList"), cache: cacheSecond, handle: (*API).searchEvents},
	{method: "GET", pattern: "/v1/events/{event}", name: "getEvent", summary: "One event with prices and what is left of its areas and classes",
		answers: ok("EventDetail"), cache: cacheSecond, handle: (*API).getEvent},
	{method: "GET", pattern: "/v1/events/{event}/seats", name: "getSeats", summary: "Availability, two bits a seat, as old as the event allows (a second); a hold decides",
		answers: append(ok("SeatMap"), notModified), handle: (*API).getSeats},
	{method: "GET", pattern: "/v1/events/{event}/seats/since/{version}", name: "getSeatsSince", summary: "What changed since a version of the map, or the whole map where that is no longer known",
		answers: append(ok("SeatChanges"), notModified), handle: (*API).getSeatsSince},
	{method: "GET", pattern: "/v1/events/{event}/seats/stream", name: "streamSeats", summary: "The map and then each change as server-sent events, for who is inside",
		needs: needPass, answers: []answer{{status: http.StatusOK, media: "text/event-stream"}}, handle: (*API).streamSeats},
	{method: "GET", pattern: "/v1/events/{event}/seats.bin", name: "getSeatFrame", summary: "The map in its binary form, documented in package seatmap",
		answers: []answer{{status: http.StatusOK, media: seatFrame}, notModified}, handle: (*API).getSeatFrame},
	{method: "GET", pattern: "/v1/events/{event}/seats.bin/since/{version}", name: "getSeatFrameSince", summary: "The changes in their binary form, or the map",
		answers: []answer{{status: http.StatusOK, media: seatFrame}, notModified}, handle: (*API).getSeatFrameSince},
	{method: "GET", pattern: "/v1/geometry/{hash}", name: "getGeometry", summary: "The plan of a venue; never changes",
		answers: append(ok("Geometry"), notModified), cache: cacheImmutable, handle: (*API).getGeometry},

	{method: "POST", pattern: "/v1/events/{event}/holds", name: "hold", pace: holding, summary: "Take places for a few minutes, all or nothing unless fewer are accepted",
		needs: buying, body: "HoldRequest", answers: created("Hold"), cache: cachePersonal, handle: (*API).hold},
	{method: "GET", pattern: "/v1/events/{event}/holds/{hold}", name: "getHold", summary: "A hold of one's own",
		needs: needAccount, answers: ok("Hold"), cache: cachePersonal, handle: (*API).getHold},
	{method: "POST", pattern: "/v1/events/{event}/holds/{hold}/extend", name: "extendHold", summary: "More time, as far as the event's policy goes",
		needs: buying, answers: ok("Hold"), cache: cachePersonal, handle: (*API).extendHold},
	{method: "POST", pattern: "/v1/events/{event}/presale", name: "redeemCode", summary: "Redeem a code: the presale is open to this account from then on",
		needs: needAccount | needKey, body: "PresaleCode", answers: ok("Presale"), cache: cachePersonal, handle: (*API).redeem},
	{method: "DELETE", pattern: "/v1/events/{event}/holds/{hold}", name: "release", summary: "Give the places back",
		needs: needAccount | needKey, answers: ok("Hold"), cache: cachePersonal, handle: (*API).release},

	{method: "POST", pattern: "/v1/events/{event}/orders", name: "placeOrder", summary: "Make an order of a hold; asked again it is the same order",
		needs: buying, body: "OrderRequest", answers: append(created("Order"), ok("Order")...), cache: cachePersonal, handle: (*API).placeOrder},
	{method: "GET", pattern: "/v1/orders", name: "listOrders", summary: "One's own orders, newest first",
		needs: needAccount, answers: ok("OrderList"), cache: cachePersonal, handle: (*API).listOrders},
	{method: "GET", pattern: "/v1/orders/{order}", name: "getOrder", summary: "An order of one's own; poll it while it is verifying",
		needs: needAccount, answers: ok("Order"), cache: cachePersonal, handle: (*API).getOrder},
	{method: "POST", pattern: "/v1/orders/{order}/payments", name: "pay", pace: paying, summary: "Start a payment; the order tells what became of it",
		needs: buying, body: "PaymentRequest", answers: []answer{{status: http.StatusAccepted, schema: "Order"}}, cache: cachePersonal, handle: (*API).pay},
	{method: "DELETE", pattern: "/v1/orders/{order}", name: "cancelOrder", summary: "Cancel an order; money that was taken goes back",
		needs: needAccount | needKey, answers: ok("Order"), cache: cachePersonal, handle: (*API).cancelOrder},
	{method: "POST", pattern: "/v1/orders/{order}/refunds", name: "returnLines", summary: "Give lines of a paid order back, as refund_offer of the order says",
		needs: needAccount | needKey, body: "ReturnRequest", answers: ok("Order"), cache: cachePersonal, handle: (*API).returnLines},

	{method: "GET", pattern: "/v1/tickets", name: "listTickets", summary: "One's own tickets, newest first",
		needs: needAccount, answers: ok("TicketList"), cache: cachePersonal, handle: (*API).listTickets},
	{method: "GET", pattern: "/v1/tickets/{ticket}", name: "getTicket", summary: "A ticket of one's own",
		needs: needAccount, answers: ok("Ticket"), cache: cachePersonal, handle: (*API).getTicket},
	{method: "GET", pattern: "/v1/tickets/{ticket}/qr.svg", name: "getTicketCode", summary: "Its code as a picture",
		needs: needAccount, answers: []answer{{status: http.StatusOK, media: "image/svg+xml"}}, cache: cachePersonal, handle: (*API).getTicketCode},
	{method: "GET", pattern: "/v1/ticket-keys", name: "getTicketKeys", summary: "The keys that verify tickets, as a JWKS",
		answers: ok("KeySet"), cache: cacheMinutes, handle: (*API).getTicketKeys},

	{method: "PUT", pattern: "/v1/staff/venues/{venue}", name: "putVenue", summary: "Staff: bring in a venue, as in an import file",
		needs: needStaff, body: "VenueFile", maxBody: maxVenue, answers: ok("CatalogueChanges"), cache: cachePersonal, handle: (*API).putVenue},
	{method: "GET", pattern: "/v1/staff/events/{event}", name: "exportEvent", summary: "Staff: an event as an import file says it, drafts too",
		needs: needStaff, answers: ok("EventFile"), cache: cachePersonal, handle: (*API).exportEvent},
	{method: "PUT", pattern: "/v1/staff/events/{event}", name: "putEvent", summary: "Staff: bring in an event or change it, as in an import file",
		needs: needStaff, body: "EventFile", maxBody: maxEvent, answers: ok("CatalogueChanges"), cache: cachePersonal, handle: (*API).putEvent},
	{method: "PATCH", pattern: "/v1/staff/events/{event}", name: "patchEvent", summary: "Staff: change members of an event (RFC 7396): sale window, prices, limits, state",
		needs: needStaff, body: "EventPatch", maxBody: maxEvent, answers: ok("CatalogueChanges"), cache: cachePersonal, handle: (*API).patchEvent},
	{method: "PUT", pattern: "/v1/staff/events/{event}/counters/{counter}/limit", name: "setLimit", summary: "Staff: what an area or class may sell, in the sale too; below what is sold nothing is taken back and nothing more is sold",
		needs: needStaff, body: "LimitChange", answers: ok("Limit"), cache: cachePersonal, handle: (*API).setLimit},
	{method: "GET", pattern: "/v1/staff/events/{event}/counters/{counter}/denied-boarding", name: "deniedBoarding", summary: "Staff: who has no place in an overbooked class if everybody comes",
		needs: needStaff, answers: ok("DeniedBoarding"), cache: cachePersonal, handle: (*API).deniedBoarding},
	{method: "GET", pattern: "/v1/staff/events/{event}/presales", name: "listPresales", summary: "Staff: an event's presales and how far their codes are used",
		needs: needStaff, answers: ok("PresaleUses"), cache: cachePersonal, handle: (*API).listPresales},
	{method: "GET", pattern: "/v1/staff/events/{event}/presales/{presale}/codes", name: "listCodes", summary: "Staff: how far each code of a presale is used, a thousand a page",
		needs: needStaff, query: codesParameters, answers: ok("CodeUses"), cache: cachePersonal, handle: (*API).listCodes},
	{method: "GET", pattern: "/v1/staff/changes", name: "listChanges", summary: "Staff: who changed what in the catalogue, newest first",
		needs: needStaff, query: changesParameters, answers: ok("CatalogueRecords"), cache: cachePersonal, handle: (*API).listChanges},

	{method: "POST", pattern: "/v1/staff/orders/{order}/refunds", name: "refundByStaff", summary: "Staff: give places and money back; over the event's limit it waits for two others",
		needs: needStaff, body: "StaffRefund", answers: append(ok("RefundDecision"), answer{status: http.StatusAccepted, schema: "RefundDecision"}), cache: cachePersonal, handle: (*API).refundByStaff},
	{method: "GET", pattern: "/v1/staff/refund-requests", name: "listRefundRequests", summary: "Staff: refunds that wait for approval, oldest first",
		needs: needStaff, answers: ok("RefundRequests"), cache: cachePersonal, handle: (*API).listRefundRequests},
	{method: "POST", pattern: "/v1/staff/refund-requests/{request}/approvals", name: "approveRefund", summary: "Staff: approve exactly this amount; the second approval carries it out",
		needs: needStaff, body: "RefundApproval", answers: ok("RefundDecision"), cache: cachePersonal, handle: (*API).approveRefund},
	{method: "DELETE", pattern: "/v1/staff/refund-requests/{request}", name: "rejectRefund", summary: "Staff: end a request without a refund",
		needs: needStaff, answers: ok("RefundDecision"), cache: cachePersonal, handle: (*API).rejectRefund},
	{method: "GET", pattern: "/v1/staff/events/{event}/cancellation", name: "getCancellation", summary: "Staff: what cancelling the event would give back, or how far it is",
		needs: needStaff, answers: ok("Cancellation"), cache: cachePersonal, handle: (*API).getCancellation},
	{method: "POST", pattern: "/v1/staff/events/{event}/cancellation", name: "cancelEvent", summary: "Staff: cancel the event for good and give all money back",
		needs: needStaff, body: "CancellationRequest", answers: []answer{{status: http.StatusAccepted, schema: "Cancellation"}}, cache: cachePersonal, handle: (*API).cancelEvent},
	{method: "GET", pattern: "/v1/staff/statement", name: "getStatement", summary: "Staff: what an organiser is owed and why, as CSV",
		needs: needStaff, query: statementParameters, answers: []answer{{status: http.StatusOK, media: "text/csv"}}, cache: cachePersonal, handle: (*API).statement},

	{method: "POST", pattern: "/webhooks/{provider}", name: "webhook", summary: "A notice of a payment provider, signed by it",
		media: "application/json", maxBody: booking.MaxWebhook, answers: []answer{{status: http.StatusNoContent}}, cache: cachePersonal, handle: (*API).webhook},

	{method: "POST", pattern: "/dev/token", name: "devToken", summary: "Development only: an account token for any e-mail address",
		body: "TokenRequest", answers: ok("Token"), cache: cachePersonal, dev: true, handle: (*API).devToken},
	{method: "GET", pattern: "/sign-in", name: "signInPage", summary: "Development only: the sign-in page",
		query:   []parameter{{name: "return", description: "Where to go afterwards: a path of this site", example: "/orders"}},
		answers: []answer{{status: http.StatusOK, media: "text/html"}}, cache: cachePersonal, dev: true, handle: (*API).showSignIn},
	{method: "POST", pattern: "/sign-in", name: "signIn", summary: "Development only: what the page sends",
		media:   "application/x-www-form-urlencoded",
		answers: []answer{{status: http.StatusSeeOther}, {status: http.StatusUnprocessableEntity, media: "text/html"}}, cache: cachePersonal, dev: true, handle: (*API).signIn},
	{method: "POST", pattern: "/sign-out", name: "signOut", summary: "Forget the account in this browser, and leave the place inside to others",
		media: "application/x-www-form-urlencoded", answers: []answer{{status: http.StatusSeeOther}}, cache: cachePersonal, handle: (*API).signOut},

	{method: "GET", pattern: "/healthz", name: "healthz", summary: "The process runs", answers: ok("Health"), cache: cachePersonal, handle: (*API).healthz},
	{method: "GET", pattern: "/readyz", name: "readyz", summary: "The database answers and has this build's schema",
		answers: ok("Health"), cache: cachePersonal, handle: (*API).readyz},
}

// openAPIRoute serves the document that is made of the table; it cannot be in it.
var openAPIRoute = route{method: "GET", pattern: "/openapi.json", name: "openapi", cache: cacheMinutes, handle: (*API).openAPI}

func ok(schema string) []answer      { return []answer{{status: http.StatusOK, schema: schema}} }
func created(schema string) []answer { return []answer{{status: http.StatusCreated, schema: schema}} }
