package line

import (
	"fmt"
	"testing"
	"time"
)

// Joins and knocks in full batches, as a crowd gives them: time per visitor.
func BenchmarkBatches(b *testing.B) {
	for _, kind := range []string{"redis", "embedded"} {
		for _, before := range []int64{0, 100_000} {
			be := newBench(b, openStore(b, kind), Config{Settings: Settings{Rate: Rate{1000, time.Second}, Cap: 10_000}})
			be.call(scriptRaise, 1<<31)
			be.crowd(before)
			given := before
			b.Run(fmt.Sprintf("join/%s/line=%d", kind, before), func(b *testing.B) {
				for n := 0; n < b.N; n += batchMax {
					var vids []string
					for range batchMax {
						vids = append(vids, vid(given))
						given++
					}
					be.join(vids...)
				}
			})
			be.moveX(given)
			be.pass(time.Second)
			next := int64(0)
			b.Run(fmt.Sprintf("knock/%s/line=%d", kind, before), func(b *testing.B) {
				for n := 0; n < b.N; n += batchMax {
					var args []any
					for range batchMax {
						next++
						args = append(args, vid(next%given), next%given, next%given, "")
					}
					be.call(scriptKnock, args...)
				}
			})
			b.Run(fmt.Sprintf("heartbeat/%s/line=%d", kind, before), func(b *testing.B) {
				for n := 0; n < b.N; n += batchMax {
					here := presence{}
					for range batchMax {
						next++
						here.set(next % given)
					}
					be.here(here)
				}
			})
		}
	}
}
