package event

import (
	"testing"

	"github.com/ropeline/ropeline/core/pgtest"
)

// Each statement is prepared against the migrated schema, as the application's role.
func TestStatementsFitTheSchema(t *testing.T) {
	db := pgtest.New(t)
	conn, err := db.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for name, sql := range map[string]string{
		"import lock": sqlImportLock, "venue by slug": sqlVenueBySlug, "insert venue": sqlInsertVenue, "update venue": sqlUpdateVenue,
		"delete venue seats": sqlDeleteVenueSeats, "venue classes": sqlVenueClasses, "venue geometry": sqlVenueGeometry,
		"event by slug": sqlEventBySlug, "insert event": sqlInsertEvent, "update event": sqlUpdateEvent, "insert seats": sqlInsertSeats,
		"insert version": sqlInsertVersion, "prices": sqlPrices, "insert price": sqlInsertPrice, "update price": sqlUpdatePrice,
		"counters": sqlCounters, "insert counter": sqlInsertCounter, "update counter": sqlUpdateCounter,
		"search": sqlSearch, "detail": sqlDetail, "geometry": sqlGeometry, "counters now": sqlCountersNow, "seats": sqlSeats,
	} {
		if _, err := conn.Conn().Prepare(t.Context(), name, sql); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
