package check

import (
	"context"
	"time"

	"github.com/ropeline/ropeline/loadtest/history"
)

const (
	sampleOp    = "sample" // F of a sample's operation
	sampleEvery = time.Second
	sampleLimit = 10 * time.Second // of one sample; a hung one fails the check
)

type sample struct {
	Findings []Finding `json:"findings"`
	Error    string    `json:"error,omitempty"`
}

// Sampler looks for double sales each second while a sale runs and writes what
// it sees into the history, from which B1 reads it.
type Sampler struct {
	stop chan struct{}
	done chan struct{}
}

// StartSampler begins. It takes one sample at once, so that even the shortest
// sale has one.
func StartSampler(db Querier, w *history.Writer) *Sampler {
	s := &Sampler{stop: make(chan struct{}), done: make(chan struct{})}
	go s.loop(db, w)
	return s
}

func (s *Sampler) loop(db Querier, w *history.Writer) {
	defer close(s.done)
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		takeSample(db, w)
		select {
		case <-tick.C:
		case <-s.stop:
			return
		}
	}
}

// Stop waits until the sample under way is written.
func (s *Sampler) Stop() {
	close(s.stop)
	<-s.done
}

func takeSample(db Querier, w *history.Writer) {
	ctx, cancel := context.WithTimeout(context.Background(), sampleLimit)
	defer cancel()
	op := w.Begin(0, sampleOp, nil)
	found, err := DoubleSales(ctx, db)
	if err != nil {
		op.End(history.Info, sample{Error: err.Error()})
		return
	}
	op.End(history.OK, sample{Findings: found})
}
