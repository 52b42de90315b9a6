package fleet

import (
	"context"
	"crypto/ed25519"
	"fmt"

	"github.com/ropeline/ropeline/loadtest/check"
	"github.com/ropeline/ropeline/loadtest/record"
)

// Judge recomputes from the grant logs of all edges and from the recorder what the limits really were. invariants is a
// list such as "T1,Q4"; Q3 needs told. The origin must have stopped.
func Judge(ctx context.Context, invariants string, o *Origin, keys map[string]ed25519.PublicKey, told *Told, grants ...string) ([]check.Finding, error) {
	list, err := check.Select(invariants)
	if err != nil {
		return nil, err
	}
	e := &check.Evidence{Room: Room, Keys: keys}
	if e.Grants, err = check.LoadGrants(grants, Room); err != nil {
		return nil, err
	}
	if e.Requests, err = record.Load(o.File); err != nil {
		return nil, err
	}
	for i := range e.Requests {
		if o.Shift != nil {
			e.Requests[i].At = o.Shift(e.Requests[i].At)
		}
	}
	if told != nil {
		e.History = told.History()
	}
	found, err := check.Run(ctx, list, e)
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	return found, nil
}

// PassKeys fetches the public keys of passes from a site.
func PassKeys(ctx context.Context, site string) (map[string]ed25519.PublicKey, error) {
	return check.LoadKeys(ctx, site+Reserved+"jwks.json")
}
