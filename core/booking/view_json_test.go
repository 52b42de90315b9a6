package booking

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/ropeline/ropeline/core/money"
)

// The quick encoder and the library's write the same bytes, whatever a seat is called.
func TestAHoldIsEncodedAsTheLibraryWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(0, 1<<53)
		when := func(name string) Stamp { return Stamp(time.UnixMicro(number.Draw(t, name) % 4e15)) }
		v := HoldView{
			ID: uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id")), Event: rapid.String().Draw(t, "event"), State: "active",
			Amount: number.Draw(t, "amount"), Currency: money.Currency(rapid.SampledFrom([]string{"EUR", "JPY"}).Draw(t, "currency")),
			ExpiresAt: when("expires"), ServerTime: when("now"), Version: number.Draw(t, "version"), Lines: []LineView{},
		}
		for range rapid.IntRange(0, 3).Draw(t, "lines") {
			l := LineView{Line: int16(len(v.Lines) + 1), Label: rapid.String().Draw(t, "label"), Quantity: 2, Price: number.Draw(t, "price"), Fare: rapid.String().Draw(t, "fare")}
			if rapid.Bool().Draw(t, "seat") {
				seat := rapid.Int32().Draw(t, "number")
				l.Seat = &seat
			} else {
				counter := number.Draw(t, "counter")
				l.Counter = &counter
				l.Class = rapid.String().Draw(t, "class")
			}
			v.Lines = append(v.Lines, l)
		}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.appendJSON(nil); string(got) != string(want) {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	})
}
