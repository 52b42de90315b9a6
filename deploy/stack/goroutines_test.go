package stack

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Shortened from a real program: the main goroutine, one of net/http's that is not ours, two of ours, one that a WaitGroup
// started for us, and the one that writes the list.
const stacks = `goroutine 1 [select]:
main.main()
	github.com/ropeline/ropeline/core/cmd/bookingd/main.go:10 +0x1

goroutine 7 [IO wait]:
net/http.(*conn).serve(0xc0)
	/usr/lib/go/src/net/http/server.go:2100 +0x1
created by net/http.(*Server).Serve in goroutine 5
	/usr/lib/go/src/net/http/server.go:3400 +0x1

goroutine 8 [select]:
github.com/ropeline/ropeline/core/booking.(*Engine).sweep(0xc0)
	/src/core/booking/sweep.go:10 +0x1
created by github.com/ropeline/ropeline/core/booking.(*Engine).Run in goroutine 1
	/src/core/booking/loop.go:10 +0x1

goroutine 9 [select]:
time.Sleep(0x1)
	/usr/lib/go/src/runtime/time.go:300 +0x1
created by github.com/ropeline/ropeline/core/booking.(*Engine).Run in goroutine 1
	/src/core/booking/loop.go:10 +0x1

goroutine 11 [select]:
github.com/ropeline/ropeline/admission/line.(*Room).wait(0xc0, {0x1, 0x2})
	/src/admission/line/room.go:20 +0x1
github.com/ropeline/ropeline/admission/line.(*Room).loop(0xc0)
	/src/admission/line/room.go:10 +0x1
sync.(*WaitGroup).Go.func1()
	/usr/lib/go/src/sync/waitgroup.go:239 +0x1
created by sync.(*WaitGroup).Go in goroutine 1
	/usr/lib/go/src/sync/waitgroup.go:237 +0x1

goroutine 10 [running]:
runtime/pprof.writeGoroutineStacks({0x1, 0x2})
	/usr/lib/go/src/runtime/pprof/pprof.go:1 +0x1
github.com/ropeline/ropeline/core/cmd/bookingd.internal()
	/src/core/cmd/bookingd/internal.go:1 +0x1
`

func TestGoroutinesAreCountedByTheirOrigin(t *testing.T) {
	got, err := parseGoroutines(strings.NewReader(stacks))
	if err != nil {
		t.Fatal(err)
	}
	want := Goroutines{"main": 1, module + "core/booking.(*Engine).Run": 2, module + "admission/line.(*Room).loop": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestGrownNamesALeak(t *testing.T) {
	before := Goroutines{"a": 1, "b": 10}
	if grown := (Goroutines{"a": 3, "b": 9}).Grown(before, 4); grown != nil {
		t.Errorf("grown = %v, want nothing", grown)
	}
	if grown := (Goroutines{"a": 6, "c": 5}).Grown(before, 4); len(grown) != 2 {
		t.Errorf("grown = %v, want a and c", grown)
	}
}
