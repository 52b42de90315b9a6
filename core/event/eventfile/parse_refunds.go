package eventfile

import "fmt"

// Bounds and defaults of a refund policy.
const (
	maxTiers            = 20
	maxHoursBefore      = 24 * 366
	defaultApprovalOver = 50_000
)

// RefundTier is what giving places back costs when at least HoursBefore hours are left.
type RefundTier struct {
	HoursBefore int   `json:"hours_before"`
	FeeBP       int   `json:"fee_bp"`
	FeePerPlace int64 `json:"fee_per_place"`
}

// Refunds is an event's policy. Without tiers everything goes back until it begins.
type Refunds struct {
	ApprovalOver int64        `json:"approval_over"` // of one order, minor units; more needs two approvals
	Tiers        []RefundTier `json:"tiers"`
}

// refunds reads the policy. A file that does not name it leaves it alone.
func (b *binder) refunds(f *fields, e *Event) {
	n := f.get("refunds")
	if n == nil || n.val == nil {
		return
	}
	o := b.object(n, e.Path+".refunds")
	if o == nil {
		return
	}
	r := &Refunds{ApprovalOver: o.integer("approval_over", defaultApprovalOver, 0, maxAmount), Tiers: []RefundTier{}}
	seen := map[string]int{}
	for i, n := range o.list("tiers", maxTiers) {
		path := fmt.Sprintf("%s.refunds.tiers[%d]", e.Path, i)
		t := b.object(n, path)
		if t == nil {
			continue
		}
		if t.get("hours_before") == nil {
			t.addf("hours_before", "is missing; write how many hours before the event this holds at the latest, as in 48")
		}
		tier := RefundTier{HoursBefore: int(t.integer("hours_before", 0, 0, maxHoursBefore)), FeeBP: int(t.integer("fee_bp", 0, 0, 10_000)),
			FeePerPlace: t.integer("fee_per_place", 0, 0, maxAmount)}
		t.done()
		b.unique(seen, fmt.Sprint(tier.HoursBefore), n.line, path+".hours_before")
		r.Tiers = append(r.Tiers, tier)
	}
	o.done()
	e.Refunds = r
}
