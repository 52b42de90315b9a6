// Package buyer is the crowd: virtual people who buy tickets the way real ones
// do, with nothing but HTTP requests.
//
// Each signs in, opens the event's page, gets the waiting page and a ticket,
// polls the public status document, knocks when the line has moved up to its
// place, enters when its time has come, reads the map, holds seats, orders, asks
// the provider's card form for a token, pays, watches the order and reads the
// tickets. Some do what people do: their card is declined, they press a button
// twice, they give seats back, they walk away in the middle and say nothing, they
// pay too late, they join and never come.
//
// Who does what follows from the seed; who gets which seat does not, since that
// is the programs' doing.
package buyer
