package api

import (
	"bytes"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/problem"
)

var statementParameters = []parameter{
	{name: "organiser", description: "As the events name it", example: "Lights Ltd"},
	{name: "event", description: "Of this event only", example: "night-of-lights"},
	{name: "from", description: "First day, UTC", example: "2027-03-01", format: "date"},
	{name: "until", description: "The day after the last, UTC", example: "2027-04-01", format: "date"},
}

func (a *API) returnLines(w http.ResponseWriter, r *http.Request, c *call) error {
	ref, err := booking.ParseRef(chi.URLParam(r, "order"))
	if err != nil {
		return err
	}
	var body struct {
		Lines          []int16 `json:"lines"`
		ExpectedAmount *int64  `json:"expected_amount"`
	}
	if err := decode(r, c.body, &body); err != nil {
		return err
	}
	if len(body.Lines) == 0 {
		return errInvalidBody.Say("lines: is missing or empty; name the lines of the order to give back.").With("field", "lines")
	}
	answer, err := a.booking.ReturnLines(r.Context(), c.command(""), booking.ReturnRequest{Order: ref, Lines: body.Lines, ExpectedAmount: body.ExpectedAmount})
	if err != nil {
		return err
	}
	return a.writeAnswer(w, answer, noLease)
}

func (a *API) refundByStaff(w http.ResponseWriter, r *http.Request, c *call) error {
	ref, err := booking.ParseRef(chi.URLParam(r, "order"))
	if err != nil {
		return err
	}
	var body struct {
		Lines  []int16 `json:"lines"`
		Amount *int64  `json:"amount"`
		Why    string  `json:"why"`
	}
	if err := decode(r, c.body, &body); err != nil {
		return err
	}
	if body.Lines != nil && len(body.Lines) == 0 {
		return errInvalidBody.Say("lines: is empty; name some, or leave it out for all of the order.").With("field", "lines")
	}
	d, err := a.booking.RefundByStaff(r.Context(), booking.StaffRefund{Order: ref, Lines: body.Lines, Amount: body.Amount, Why: body.Why, By: c.staff.Subject})
	if err != nil {
		return err
	}
	status := http.StatusOK
	if d.State == "waiting" {
		status = http.StatusAccepted
	}
	return writeJSON(w, status, d)
}

func (a *API) listRefundRequests(w http.ResponseWriter, r *http.Request, _ *call) error {
	list, err := a.booking.RefundRequests(r.Context())
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"requests": list})
}

func (a *API) approveRefund(w http.ResponseWriter, r *http.Request, c *call) error {
	ref, err := booking.ParseRef(chi.URLParam(r, "request"))
	if err != nil {
		return err
	}
	var body struct {
		Amount *int64 `json:"amount"`
	}
	if err := decode(r, c.body, &body); err != nil {
		return err
	}
	if body.Amount == nil {
		return errInvalidBody.Say("amount: is missing; an approval is of one amount.").With("field", "amount")
	}
	d, err := a.booking.ApproveRefund(r.Context(), ref, c.staff.Subject, *body.Amount)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, d)
}

func (a *API) rejectRefund(w http.ResponseWriter, r *http.Request, c *call) error {
	ref, err := booking.ParseRef(chi.URLParam(r, "request"))
	if err != nil {
		return err
	}
	if err := noBody(c); err != nil {
		return err
	}
	d, err := a.booking.RejectRefund(r.Context(), ref, c.staff.Subject)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, d)
}

func (a *API) cancelEvent(w http.ResponseWriter, r *http.Request, c *call) error {
	var body struct {
		Why            string `json:"why"`
		ExpectedAmount *int64 `json:"expected_amount"`
	}
	if err := decode(r, c.body, &body); err != nil {
		return err
	}
	if body.ExpectedAmount == nil {
		return errInvalidBody.Say("expected_amount: is missing; GET this address says what would go back.").With("field", "expected_amount")
	}
	report, err := a.booking.CancelEvent(r.Context(), chi.URLParam(r, "event"), c.staff.Subject, body.Why, *body.ExpectedAmount)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, report)
}

func (a *API) getCancellation(w http.ResponseWriter, r *http.Request, _ *call) error {
	report, err := a.booking.CancellationOf(r.Context(), chi.URLParam(r, "event"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, report)
}

// maxStatement bounds a statement by HTTP; `bookingd ledger statement` has no bound.
const maxStatement = 64 << 20

func (a *API) statement(w http.ResponseWriter, r *http.Request, _ *call) error {
	q := r.URL.Query()
	if q.Get("organiser") == "" {
		return errInvalidQuery.Say("organiser: is missing.").With("parameter", "organiser")
	}
	p, err := ledger.ParsePeriod(q.Get("from"), q.Get("until"))
	if err != nil {
		return errInvalidQuery.Say("%s", err)
	}
	b := &bounded{left: maxStatement}
	if err := a.booking.WriteStatement(r.Context(), b, q.Get("organiser"), q.Get("event"), p); err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="statement.csv"`)
	writeBytes(w, http.StatusOK, "text/csv", b.Bytes())
	return nil
}

// bounded is a buffer that refuses to grow for ever: an answer with an error in its
// middle would look like a whole statement.
type bounded struct {
	bytes.Buffer
	left int
}

var errStatementTooLong = problem.New(http.StatusUnprocessableEntity, "statement_too_long",
	"The statement is too long for one answer. Ask for an event or for days, or use `bookingd ledger statement`.")

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errStatementTooLong
	}
	return b.Buffer.Write(p)
}
