package payment

// Phase is how far our own call got. It says nothing about money: that is Facts.
type Phase string

// The phases of a call.
const (
	Created   Phase = "created"   // committed, no byte has left
	Sent      Phase = "sent"      // committed just before the call
	Unknown   Phase = "unknown"   // the call ended without an answer, or nobody lived to read it
	Answered  Phase = "answered"  // facts came
	Abandoned Phase = "abandoned" // never sent, or the provider knows nothing of it
)

// Unresolved says that this attempt may still bring money we do not know of,
// which is why it blocks another attempt of the same order.
func (p Phase) Unresolved() bool { return p == Created || p == Sent || p == Unknown }

// Want is our decision about the money.
type Want string

// The decisions, in the only order they may follow one another.
const (
	Undecided Want = "none"
	Keep      Want = "keep"
	GiveBack  Want = "give_back"
)

// Then moves want forward. Going back is not an error but no effect: the
// earlier decision has been carried out already.
func (w Want) Then(next Want) Want {
	switch {
	case w == GiveBack, next == Undecided:
		return w
	case w == Keep && next == Keep:
		return w
	}
	return next
}

// State is what an attempt is called towards people.
type State string

// The states of an attempt; the first five have seen no money.
const (
	StateCreated        State = "created"
	StateSent           State = "sent"
	StateUnknown        State = "unknown"
	StateAbandoned      State = "abandoned"
	StateDeclined       State = "declined"
	StateAuthorized     State = "authorized"
	StateCaptured       State = "captured"
	StateVoiding        State = "voiding"
	StateVoided         State = "voided"
	StateRefunding      State = "refunding"
	StatePartlyRefunded State = "partly_refunded"
	StateRefunded       State = "refunded"
)

// StateOf is the state table. It is total: phase speaks only while there are
// no facts.
//
//	facts                     undecided          keep             give_back
//	none                      the phase          -                the phase
//	declined only             declined           -                declined
//	authorized                authorized         authorized       voiding
//	voided                    voided             voided           voided
//	captured, all kept        captured           captured         refunding
//	captured, part returned   partly_refunded    partly_refunded  refunding
//	all returned              refunded           refunded         refunded
func StateOf(p Phase, f Facts, w Want) State {
	switch {
	case f.Captured > 0 && f.Returned():
		return StateRefunded
	case f.Captured > 0 && w == GiveBack:
		return StateRefunding
	case f.Captured > 0 && f.Refunded > 0:
		return StatePartlyRefunded
	case f.Captured > 0:
		return StateCaptured
	case f.Voided:
		return StateVoided
	case f.Money() && w == GiveBack:
		return StateVoiding
	case f.Money():
		return StateAuthorized
	case f.Declined:
		return StateDeclined
	}
	switch p {
	case Created:
		return StateCreated
	case Sent:
		return StateSent
	case Unknown:
		return StateUnknown
	case Abandoned:
		return StateAbandoned
	}
	// Answered without a single fact cannot be written; if it ever is read, it
	// must be asked again and never be taken for an end.
	return StateUnknown
}

// Action is what a loop does next with an attempt.
type Action string

// The actions.
const (
	DoNothing Action = ""        // the zero Action, so that an empty call asks for nothing
	DoSend    Action = "send"    // created: the sender's turn
	DoAsk     Action = "ask"     // sent too long ago, or unknown
	DoCapture Action = "capture" // kept, not captured
	DoVoid    Action = "void"    // given back, not captured
	DoRefund  Action = "refund"  // captured and owed
)

// NextAction reads facts and want and says what is missing. owed is the sum of the
// reserved refunds of the attempt that the provider has not yet carried out.
func NextAction(p Phase, f Facts, w Want, owed int64) Action {
	switch {
	case !f.Money() && !f.Declined && p == Created:
		return DoSend
	case !f.Money() && !f.Declined && p.Unresolved():
		return DoAsk
	case !f.Money():
		return DoNothing
	case f.Captured == 0 && f.Voided:
		return DoNothing
	case f.Captured == 0 && w == Keep:
		return DoCapture
	case f.Captured == 0 && w == GiveBack:
		return DoVoid
	case f.Captured > 0 && owed > 0 && f.Dispute != DisputeOpen && !f.Returned():
		return DoRefund
	}
	return DoNothing
}
