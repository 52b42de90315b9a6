package cdn

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/seatmap"
)

// inside is a visitor who has been let in.
func (c *cached) inside() *http.Client {
	c.t.Helper()
	v := c.visitor()
	for deadline := time.Now().Add(time.Minute); c.navigate(v, "/shop").body != "the shop"; time.Sleep(50 * time.Millisecond) { // a poll of a condition
		if time.Now().After(deadline) {
			c.t.Fatal("never let in")
		}
	}
	return v
}

// call posts JSON and reads JSON.
func (c *cached) call(v *http.Client, path, token string, in, out any) int {
	c.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.base+path, strings.NewReader(string(body)))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", uuid.NewString())
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := v.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil {
		err = json.Unmarshal(answer, out)
	}
	if err != nil {
		c.t.Fatalf("%s: %s %s: %v", path, resp.Status, answer, err)
	}
	return resp.StatusCode
}

// B10: the map in the cache says free and the hold says taken, with the seat, its state and a newer version; and however many
// look meanwhile, nobody is shown an older map after a newer one.
func (c *cached) aHoldDecidesAndNotTheMap(seat int) {
	look := func() (seatmap.Version, seatmap.State) {
		m, err := seatmap.DecodeMap([]byte(c.ask(http.DefaultClient, "GET", seats+".bin").body))
		if err != nil {
			c.t.Fatal(err)
		}
		return m.Version, seatmap.At(m.States, seat)
	}
	type holder struct {
		client *http.Client
		token  string
	}
	var both [2]holder
	for i := range both {
		var signedIn struct{ Token string }
		both[i].client = c.inside()
		c.call(both[i].client, "/dev/token", "", map[string]string{"email": uuid.NewString() + "@example.com"}, &signedIn)
		both[i].token = signedIn.Token
	}
	shown, state := look()
	if state != seatmap.Available {
		c.t.Fatalf("seat %d is %s", seat, state)
	}
	var first, second struct {
		Code    string
		Version int64
		Seats   []struct {
			Seat  int
			State string
		}
	}
	if status := c.call(both[0].client, gig+"/holds", both[0].token, map[string]any{"seats": []int{seat}}, &first); status != http.StatusCreated {
		c.t.Fatalf("the first hold: %d %+v", status, first)
	}
	status := c.call(both[1].client, gig+"/holds", both[1].token, map[string]any{"seats": []int{seat}}, &second)
	if status != http.StatusConflict || second.Code != "seat_taken" || len(second.Seats) != 1 || second.Seats[0].Seat != seat || second.Seats[0].State != "held" || second.Version <= shown.V {
		c.t.Errorf("the second hold, after a map of %s: %d %+v", shown, status, second)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) { // a poll of a condition
		now, state := look()
		if now.V < shown.V || now.V == shown.V && now.E < shown.E {
			c.t.Fatalf("a map of %s after one of %s", now, shown)
		}
		if shown = now; state == seatmap.Held && now.V >= second.Version {
			break
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("the map stands at %s, seat %d is %s", now, seat, state)
		}
	}
	for _, h := range both {
		c.ask(h.client, "POST", room+"leave")
	}
}
