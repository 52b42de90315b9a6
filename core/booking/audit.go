package booking

import (
	"context"
	"fmt"
	"time"
)

// audit recomputes every promise from the rows and says which is broken. A finding
// is a page at once, whatever else is well.
func (e *Engine) audit(ctx context.Context) (again bool, err error) {
	found, err := CheckInvariants(ctx, e.db.Pool)
	if err != nil {
		return false, fmt.Errorf("audit: %w", err)
	}
	count := make(map[string]int)
	for _, f := range found {
		count[f.Invariant]++
		e.log.Error("the audit found a broken promise", "invariant", f.Invariant, "rule", f.Rule, "detail", f.Detail)
	}
	for _, inv := range promises {
		e.metrics.findings.WithLabelValues(inv.id).Set(float64(count[inv.id]))
	}
	e.metrics.audits.Inc()
	e.metrics.auditedAt.Set(float64(time.Now().Unix()))
	return false, nil
}
