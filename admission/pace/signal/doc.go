// Package signal reads what an origin tells about itself (package telemetry) from every instance every two seconds, and
// turns the answers into the readings of package pace. Only the edge that leads reads.
//
// An address may be a name of many instances: it is resolved at each reading and each address is asked, so that instances
// come and go without a word here. The origin's clock need not agree with anybody's: of each instance the least delay that
// was seen lately counts as none.
package signal
