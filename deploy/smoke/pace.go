package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// measureFor is how long the processors are tried: some turns of the kernel's scheduler, and no noticeable wait.
	measureFor = 400 * time.Millisecond
	// maxSlow bounds the patience: on a machine still slower than this a run says so instead of taking all day.
	maxSlow = 4.0
)

// pace is how a sale is laid out for the machine as busy as it is now. The door of a real box office is set to what its
// machines bear, and so is this one: what a sale promises does not depend on its speed, but a hold of four seconds is not paid
// for by somebody who gets a tenth of a processor. The rejected way, a fixed door, fails on every busy build machine and says
// nothing by it.
type pace struct {
	slow    float64 // 1: the processors are ours; 4: we get a quarter of them
	opensIn time.Duration
	rate    string
	cap     string
	limit   time.Duration
}

// paceFor scales the layout of a machine that is ours alone.
func paceFor(share float64) pace {
	slow := min(max(1/max(share, 0.01), 1), maxSlow)
	return pace{
		slow: slow, opensIn: min(time.Duration(float64(opensIn)*slow), 2*opensIn),
		rate: fmt.Sprintf("%d/s", int(doorRate/slow)), cap: fmt.Sprint(walkAways + int((doorCap-walkAways)/slow)),
		limit: time.Duration(float64(saleLimit) * slow).Round(time.Second),
	}
}

func (p pace) String() string {
	return fmt.Sprintf("the door lets in %s up to %s, opens in %.0f s", p.rate, p.cap, p.opensIn.Seconds())
}

// share measures which part of the processors this process gets while others want them, too: time run against time passed.
func share() float64 {
	n := runtime.GOMAXPROCS(0)
	before, start := processorTime(), time.Now()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for time.Since(start) < measureFor {
			}
		})
	}
	all.Wait()
	return min(1, float64(processorTime()-before)/float64(n)/float64(time.Since(start)))
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// load is the kernel's word for how many programs wanted a processor in the last minute; "" where it does not say.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	one, _, _ := strings.Cut(string(text), " ")
	return fmt.Sprintf("load %s on %d processors, ", one, runtime.NumCPU())
}
