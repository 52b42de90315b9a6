// Package web is the storefront: the pages on which a buyer finds an event,
// picks seats, pays and shows a ticket at the door.
//
// It is a thin layer over the JSON API of core/api and has no rules of its
// own. A page is an HTML shell from html/template plus a small ES module that
// talks to the same API any other client uses; nothing is built, bundled or
// fetched from elsewhere, so what is in the repository is what runs. What does
// not depend on the visitor (the list of events, the description of one) is
// rendered on the server by asking the API in process, which saves a round trip
// and a flash of empty page; what belongs to one person is fetched by the
// browser with its own cookie.
//
//	/                        events, search by text, place, date, route
//	/events/{event}          one event: map or quantities, basket, count-down
//	/checkout/{order}        pay for an order; where the card form comes back to
//	/pay/{order}             to the checkout by way of the waiting room
//	/orders/{order}          what became of an order, in plain words
//	/orders                  the visitor's orders
//	/tickets                 the visitor's tickets
//	/tickets/{ticket}        one ticket, large, for the door
//	/assets/{hash}/...       scripts, styles, icons: immutable
//
// Checkout and order status are one page under two addresses, and both must work
// for people outside: an order that is running out is looked at from any device.
// Paying is a buying call and needs a pass; a visitor without one is sent through
// the line by /pay, which keeps the card's token and comes back to the checkout.
//
// # Languages
//
// Every page has one address in all languages (core/locale): the visitor's is
// what the address says (?lang=es), else what was chosen before (a cookie), else
// what the browser asks for. Pages are private, so no shared cache mixes them up;
// they say Vary all the same. Scripts are public and kept for a year, and have
// the language in their address: /assets/{hash}/{language}/js/...
//
// All sentences, of templates and scripts, are in texts/{language}.json; a test
// refuses words anywhere else, texts that nobody says, and languages that differ
// in their texts or in the holes of one. What organisers wrote (titles, names of
// sections and prices) stays as it is, set apart so that it keeps its direction.
//
// # Stable handles for tests
//
// Elements a browser test needs carry data-testid; these names do not change
// with the design:
//
//	event-card              a link to one event in the list
//	search-form             the search form of the list
//	event-title             heading of the event page
//	seat-map                the canvas; data-ready="true" once seats are drawn, data-still="true"
//	                        while nothing moves
//	best-quantity, best-class, best-pick
//	                        pick N neighbouring seats of a class
//	accessible              that an accessible seat is needed, where there are such
//	presale-code, presale-redeem
//	                        a presale's code, before everybody may buy
//	list-toggle, list-section, list-row, list-seat, list-add
//	                        the map as lists
//	place-{counter}-more, place-{counter}-less, place-{counter}-count
//	                        quantity of an area or class; of a ticket type place-{counter}-{type}-more
//	chosen                  the list of what is chosen; one chosen-item each
//	hold                    take (or change to) what is chosen
//	basket                  what is held; basket-line each
//	countdown               time left of the hold or order
//	release                 give the hold back
//	checkout                make an order of the hold
//	order                   the order; data-state, data-tone
//	order-status            its sentence
//	order-where             when and where; order-number is for reading out
//	pay                     opens the card form
//	cancel-order            cancels
//	see-tickets             link to the tickets of the order
//	order-row               one of the visitor's orders
//	ticket-card             one ticket; ticket-qr is its image, ticket-where the place
//	language                the menu of languages in the header
//	account                 the account's menu in the header: account-name, and
//	                        sign-out, which signs out
//	notice                  a message to the visitor; data-code is the problem's code
package web
