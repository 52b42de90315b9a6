package line

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Configure takes the settings of a reloaded file: fields whose value in the file changed since this room last
// saw the file are written to the store, the others keep their run-time values. ErrCommitted: some of them cannot
// change any more; the others did. If the store is away, the tick brings them when it is back.
func (r *Room) Configure(ctx context.Context, s Settings) error {
	s = s.WithDefaults()
	if err := s.Validate(); err != nil {
		return fmt.Errorf("room %s: %w", r.cfg.Name, err)
	}
	r.file.Store(&s)
	err := r.configure(ctx)
	if err != nil && !errors.Is(err, ErrCommitted) {
		r.arrived.Store(false)
	}
	return err
}

func (r *Room) configure(ctx context.Context) error {
	if !r.view.Load().exists { // the commitment below depends on the epoch
		if _, err := r.call(ctx, scriptStatus); err != nil {
			return err
		}
	}
	s := r.file.Load()
	fields := map[string]string{
		"state": string(s.State), "rate": s.Rate.String(), "gap": itoa(s.Rate.Gap()), "cap": itoa(int64(s.Cap)),
		"idle": itoa(s.Idle.Microseconds()), "hard": itoa(s.Hard.Microseconds()),
		"opens_at": itoa(unixMillis(s.OpensAt)), "entropy_source": s.EntropySource, "message": s.Message,
		"net": map[bool]string{false: "0", true: "1"}[s.Passthrough], "fail_open": itoa(s.FailOpenFor.Microseconds()),
	}
	args := []any{"file"}
	for name, value := range fields {
		args = append(args, name, value)
	}
	// The commitment follows the promise, and the script takes it only while nobody has joined under the old one.
	args = append(args, "promised", fields["opens_at"], "commit", r.commit(r.view.Load().epoch, s.OpensAt))
	if err := r.set(ctx, args); err != nil {
		return err
	}
	r.log.append(record{Kind: kindFile, Epoch: r.view.Load().epoch, Fields: fields})
	return nil
}

// Change alters the room at run time.
func (r *Room) Change(ctx context.Context, c Change) error {
	r.awaitBirth(ctx)
	if v := r.view.Load(); c.Action == ActionResume && v.reason != "" {
		// The room stopped itself. An operator's plain word takes the values that the status suggests.
		if v.reason == reasonNoCheckpoint {
			return ErrNoCeiling
		}
		if err := r.Resume(ctx, v.ceil, v.x); err != nil {
			return err
		}
	}
	if !r.arrived.Load() {
		// What is done by hand comes after what the file says, also in the moment in which a room is made.
		if err := r.arrive(ctx); err != nil {
			return err
		}
	}
	args := []any{"run"}
	if c.Rate != nil {
		args = append(args, "rate", c.Rate.String(), "gap", itoa(c.Rate.Gap()))
	}
	if c.Cap != nil {
		if *c.Cap < 0 || *c.Cap > MaxCap {
			return fmt.Errorf("cap %d: use 0 to %d live sessions", *c.Cap, MaxCap)
		}
		args = append(args, "cap", itoa(int64(*c.Cap)))
	}
	if c.Message != nil {
		if len(*c.Message) > maxMessage {
			return fmt.Errorf("message: %d bytes, at most %d", len(*c.Message), maxMessage)
		}
		args = append(args, "message", *c.Message)
	}
	switch c.Action {
	case "":
	case ActionOpen, ActionPause, ActionSoldOut, ActionResume, ActionClose:
		args = append(args, "action", string(c.Action))
	default:
		return fmt.Errorf("action %q: use open, pause, sold_out, resume or close", c.Action)
	}
	return r.set(ctx, args)
}

// set writes settings, and the log has them before it returns.
func (r *Room) set(ctx context.Context, args []any) error {
	rep, err := r.call(ctx, scriptSettings, args...)
	if err != nil {
		return err
	}
	if err := <-r.note(rep.header); err != nil {
		return err
	}
	if len(rep.results) == 0 {
		return nil
	}
	var refused []string
	for _, f := range rep.results {
		refused = append(refused, f[0])
	}
	return fmt.Errorf("%w: %s unchanged", ErrCommitted, strings.Join(refused, ", "))
}
