package event

import (
	"testing"

	"github.com/ropeline/ropeline/core/pgtest"
)

func TestStatementsFitTheSchema(t *testing.T) {
	pgtest.Prepare(t, map[string]string{
		"import lock": sqlImportLock, "venue by slug": sqlVenueBySlug, "insert venue": sqlInsertVenue, "update venue": sqlUpdateVenue,
		"delete venue seats": sqlDeleteVenueSeats, "venue classes": sqlVenueClasses, "venue geometry": sqlVenueGeometry, "area of a counter": sqlAreaOfCounter,
		"event by slug": sqlEventBySlug, "insert event": sqlInsertEvent, "update event": sqlUpdateEvent, "insert seats": sqlInsertSeats,
		"insert version": sqlInsertVersion, "prices": sqlPrices, "insert price": sqlInsertPrice, "update price": sqlUpdatePrice,
		"counters": sqlCounters, "insert counter": sqlInsertCounter, "update counter": sqlUpdateCounter,
		"search": sqlSearch, "detail": sqlDetail, "geometry": sqlGeometry, "counters now": sqlCountersNow, "seats": sqlSeats,
		"actor": sqlActor, "records": sqlRecords, "who limited": sqlWhoLimited, "venue slug": sqlVenueSlug, "export counters": sqlExportCounters,
	})
	pgtest.Prepare(t, ruleStatements)
	pgtest.Prepare(t, refundStatements)
}
