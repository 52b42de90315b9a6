package api

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/problem"
)

// holdBody is the body of POST holds.
type holdBody struct {
	Seats       []int32      `json:"seats"`
	Places      []hold.Place `json:"places"`
	Best        *hold.Best   `json:"best"`
	AcceptFewer bool         `json:"accept_fewer"`
	Accessible  bool         `json:"accessible"`
	Replace     *string      `json:"replace"`
}

func (a *API) hold(w http.ResponseWriter, r *http.Request, c *call) error {
	var body holdBody
	if err := decode(r, c.body, &body); err != nil {
		return err
	}
	ask := booking.HoldRequest{Seats: body.Seats, Places: body.Places, Best: body.Best, Fewer: body.AcceptFewer, Accessible: body.Accessible}
	if body.Replace != nil {
		id, err := holdMember("replace", *body.Replace)
		if err != nil {
			return err
		}
		if id == uuid.Nil { // to the engine that is "no replace", which is not what was asked
			return errInvalidBody.Say("replace: is no hold.").With("field", "replace")
		}
		ask.Replace = id
	}
	answer, err := a.booking.Hold(r.Context(), c.command(chi.URLParam(r, "event")), ask)
	if err != nil {
		return err
	}
	return a.writeAnswer(w, answer, lease)
}

func (a *API) getHold(w http.ResponseWriter, r *http.Request, c *call) error {
	id, err := holdID(r)
	if err != nil {
		return err
	}
	view, err := a.booking.HoldView(r.Context(), c.account, chi.URLParam(r, "event"), id)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, view)
}

func (a *API) release(w http.ResponseWriter, r *http.Request, c *call) error {
	id, err := holdID(r)
	if err != nil {
		return err
	}
	if err := noBody(c); err != nil {
		return err
	}
	answer, err := a.booking.Release(r.Context(), c.command(chi.URLParam(r, "event")), booking.ReleaseRequest{Hold: id})
	if err != nil {
		return err
	}
	return a.writeAnswer(w, answer, noLease)
}

func (a *API) extendHold(w http.ResponseWriter, r *http.Request, c *call) error {
	id, err := holdID(r)
	if err != nil {
		return err
	}
	if err := noBody(c); err != nil {
		return err
	}
	answer, err := a.booking.Extend(r.Context(), c.command(chi.URLParam(r, "event")), booking.ExtendRequest{Hold: id})
	if err != nil {
		return err
	}
	return a.writeAnswer(w, answer, lease)
}

// holdMember reads a hold's id out of a body. The members are strings and not ids
// already, because an id's own decoder does not know the name of its member.
func holdMember(field, text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, errInvalidBody.Say("%s: want the id of a hold, as the answer of a hold gives it.", field).With("field", field)
	}
	return id, nil
}

// holdID: what is no id is not there, as is every id of somebody else.
func holdID(r *http.Request) (uuid.UUID, error) {
	text := chi.URLParam(r, "hold")
	id, err := uuid.Parse(text)
	if err != nil || id.String() != text {
		return uuid.Nil, problem.NotFound
	}
	return id, nil
}
