package order

// State is where an order is.
type State string

// The states. There is no "failed": a decline followed by success of the same
// payment must end as if the success had come first.
const (
	None            State = ""
	Pending         State = "pending_payment"
	Verifying       State = "verifying"
	Confirmed       State = "confirmed"
	Captured        State = "captured"
	PartlyRefunded  State = "partly_refunded"
	Refunded        State = "refunded"
	Expired         State = "expired"
	ExpiredRefunded State = "expired_refunded"
	Cancelled       State = "cancelled"
)

// Waiting says that the order still hopes for its money.
func (s State) Waiting() bool { return s == Pending || s == Verifying }

// Sold says that the buyer has the places.
func (s State) Sold() bool { return s == Confirmed || s == Captured || s == PartlyRefunded }

// Over says that money coming from now on can only be given back.
func (s State) Over() bool { return s == Cancelled || s == Refunded || s == ExpiredRefunded }

// Event is what happens to an order. Whether it may happen (hold alive, event on
// sale, attempts left) was decided by the caller under the locks.
type Event string

// The events.
const (
	Place          Event = "place"           // hold alive, on sale, no order of this hold
	Pay            Event = "pay"             // hold alive, on sale, no unresolved attempt, attempts left
	HoldEnded      Event = "hold_ended"      // by time; seen by sweeper or any reader under locks
	Cancel         Event = "cancel"          // by the buyer, by staff, or the hold was released or replaced
	AttemptEnded   Event = "attempt_ended"   // the current one: declined, abandoned or never sent
	KeepAuthorized Event = "keep_authorized" // first money of any attempt, kept
	KeepCaptured   Event = "keep_captured"   // the same, captured already
	GiveBackGone   Event = "give_back_gone"  // first money of the current attempt given back: the hold is gone
	GiveBackOff    Event = "give_back_off"   // the same: event cancelled or sale closed
	AlreadyVoided  Event = "already_voided"  // first evidence of the current attempt: voided before we saw it
	AlreadyReturn  Event = "already_return"  // the same: captured and returned in full
	Capture        Event = "capture"         // captured fact of the kept attempt
	CaptureRefused Event = "capture_refused" // definite, or the kept attempt turned out voided
	ReserveRefund  Event = "reserve_refund"  // buyer or staff: some or all lines go back
	RefundPart     Event = "refund_part"     // refunded fact, something is kept
	RefundAll      Event = "refund_all"      // refunded fact, nothing is kept
	DisputeLost    Event = "dispute_lost"
	LateReturned   Event = "late_returned" // late money of an expired order is fully back
)

// Effect is one thing the transition needs done in the same transaction.
type Effect string

// The effects, in the order in which they are carried out.
const (
	ReleaseLines  Effect = "release_lines"  // lines 1 -> 0, seats and counters free, hold released
	SellLines     Effect = "sell_lines"     // lines 1 -> 2 (taken again: 0 -> 2), counters, account.sold
	UnsellLines   Effect = "unsell_lines"   // lines 2 -> 0, seats and counters free, account.sold
	IssueTickets  Effect = "issue_tickets"  // one a place
	RevokeTickets Effect = "revoke_tickets" // all that are live
	GiveBackAll   Effect = "give_back_all"  // want = give_back on every attempt; created ones abandoned
	GiveBackRest  Effect = "give_back_rest" // the same for all attempts but this one
	PostConfirm   Effect = "post_confirm"   // Dr receivable / Cr payable, revenue
	PostCapture   Effect = "post_capture"   // Dr clearing / Cr receivable
	PostReversal  Effect = "post_reversal"  // Dr payable, revenue / Cr receivable
	PostReserve   Effect = "post_reserve"   // Dr payable, revenue / Cr refunds due
)

// Transition is one cell of the table.
type Transition struct {
	Next    State
	Reason  string // shown with the order; "" leaves the present one
	Effects []Effect
}

type cell struct {
	state State
	event Event
}

var (
	confirmEffects  = []Effect{SellLines, IssueTickets, GiveBackRest, PostConfirm}
	paidEffects     = []Effect{SellLines, IssueTickets, GiveBackRest, PostConfirm, PostCapture}
	stopEffects     = []Effect{ReleaseLines, GiveBackAll}
	reversalEffects = []Effect{UnsellLines, RevokeTickets, GiveBackAll, PostReversal}
	reserveEffects  = []Effect{UnsellLines, RevokeTickets, PostReserve}
)

// table is the whole life of an order. What is not in it has no effect: the
// caller answers with the order as it is, or 409.
var table = map[cell]Transition{
	{None, Place}: {Next: Pending},

	{Pending, Pay}:              {Next: Verifying},
	{Pending, HoldEnded}:        {Next: Expired, Reason: "hold_expired"},
	{Pending, Cancel}:           {Next: Cancelled, Effects: stopEffects},
	{Verifying, Cancel}:         {Next: Cancelled, Effects: stopEffects},
	{Verifying, HoldEnded}:      {Next: Verifying}, // the payment decides
	{Verifying, AttemptEnded}:   {Next: Pending},
	{Verifying, GiveBackGone}:   {Next: Expired, Reason: "hold_expired"},
	{Verifying, GiveBackOff}:    {Next: Cancelled, Reason: "event_off", Effects: stopEffects},
	{Verifying, AlreadyVoided}:  {Next: Cancelled, Reason: "payment_returned", Effects: stopEffects},
	{Verifying, AlreadyReturn}:  {Next: Refunded, Reason: "payment_returned", Effects: stopEffects},
	{Pending, KeepAuthorized}:   {Next: Confirmed, Effects: confirmEffects},
	{Verifying, KeepAuthorized}: {Next: Confirmed, Effects: confirmEffects},
	{Expired, KeepAuthorized}:   {Next: Confirmed, Effects: confirmEffects},
	{Pending, KeepCaptured}:     {Next: Captured, Effects: paidEffects},
	{Verifying, KeepCaptured}:   {Next: Captured, Effects: paidEffects},
	{Expired, KeepCaptured}:     {Next: Captured, Effects: paidEffects},
	{Expired, LateReturned}:     {Next: ExpiredRefunded},

	// The first evidence may also come after the order stopped verifying this,
	// its latest, attempt (declined, then money of the same payment).
	{Pending, GiveBackGone}:  {Next: Expired, Reason: "hold_expired"},
	{Pending, GiveBackOff}:   {Next: Cancelled, Reason: "event_off", Effects: stopEffects},
	{Pending, AlreadyVoided}: {Next: Cancelled, Reason: "payment_returned", Effects: stopEffects},
	{Pending, AlreadyReturn}: {Next: Refunded, Reason: "payment_returned", Effects: stopEffects},
	{Expired, GiveBackOff}:   {Next: Cancelled, Reason: "event_off"},
	{Expired, AlreadyVoided}: {Next: Cancelled, Reason: "payment_returned"},
	{Expired, AlreadyReturn}: {Next: Refunded, Reason: "payment_returned"},

	{Confirmed, Capture}:        {Next: Captured, Effects: []Effect{PostCapture}},
	{Confirmed, Cancel}:         {Next: Cancelled, Effects: reversalEffects},
	{Confirmed, CaptureRefused}: {Next: Cancelled, Reason: "capture_failed", Effects: reversalEffects},

	{Captured, ReserveRefund}:       {Next: Captured, Effects: reserveEffects},
	{PartlyRefunded, ReserveRefund}: {Next: PartlyRefunded, Effects: reserveEffects},
	{Captured, RefundPart}:          {Next: PartlyRefunded},
	{PartlyRefunded, RefundPart}:    {Next: PartlyRefunded},
	{Captured, RefundAll}:           {Next: Refunded},
	{PartlyRefunded, RefundAll}:     {Next: Refunded},
	{Captured, DisputeLost}:         {Next: Refunded, Reason: "chargeback", Effects: []Effect{UnsellLines, RevokeTickets}},
	{PartlyRefunded, DisputeLost}:   {Next: Refunded, Reason: "chargeback", Effects: []Effect{UnsellLines, RevokeTickets}},
}

// Next looks the cell up. ok is false where the table has none: no effect.
func Next(s State, e Event) (t Transition, ok bool) {
	t, ok = table[cell{s, e}]
	return t, ok
}
