package hold

import "errors"

// errOnlyAsked takes a change back that was made to see whether it can be made.
var errOnlyAsked = errors.New("only asked")

// CanRetake tells what Retake would say, and changes nothing.
func (w *World) CanRetake(h *Hold) error {
	err := w.attempt(func() error {
		if err := w.Retake(h); err != nil {
			return err
		}
		return errOnlyAsked
	})
	if errors.Is(err, errOnlyAsked) {
		return nil
	}
	return err
}
