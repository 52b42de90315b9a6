package event

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/record"
	"github.com/ropeline/ropeline/admission/pace/replay"
)

// mostRooms bounds what an error message lists.
const mostRooms = 20

// Log is where an event was recorded.
type Log struct {
	Files []string // in the order of time; beside each the older parts, <file>.1 and so on, are read first
	Room  string   // "" if the files speak of one only
	Epoch int64    // of the line; 0 if there is one only
}

// Past reads the event, line by line.
func (l Log) Past() (*replay.Past, error) {
	if len(l.Files) == 0 || l.Files[0] == "" {
		return nil, errors.New("--log is missing: the decision log of the edge that led (several edges led: several files with commas, in the order of time)")
	}
	var past *replay.Past
	var rooms []string
	var epochs []int64
	err := l.each(func(s *replay.Second) error {
		if note(&rooms, s.Room); l.Room != "" && s.Room != l.Room {
			return nil
		}
		if note(&epochs, s.Epoch); l.Epoch != 0 && s.Epoch != l.Epoch {
			return nil
		}
		if l.Room == "" && len(rooms) > 1 {
			return fmt.Errorf("the log speaks of the rooms %s: choose one with --room", strings.Join(rooms, " and "))
		}
		if l.Epoch == 0 && len(epochs) > 1 {
			return fmt.Errorf("the line was begun anew in this log: choose --epoch %d or --epoch %d", epochs[0], epochs[1])
		}
		if past == nil {
			past = replay.New(s.Config)
		}
		if err := alike(past.Config(), s.Config); err != nil {
			return err
		}
		past.Add(&s.Inputs, &s.Decision)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case past == nil && len(rooms) == 0:
		return nil, fmt.Errorf("%s: no decision in it", strings.Join(l.Files, ", "))
	case past == nil:
		return nil, fmt.Errorf("no decision of room %q, epoch %d: the log speaks of room %s, epochs %v", l.Room, l.Epoch, strings.Join(rooms, ", "), epochs)
	}
	return past, nil
}

func note[T comparable](list *[]T, v T) {
	if len(*list) < mostRooms && !slices.Contains(*list, v) {
		*list = append(*list, v)
	}
}

func (l Log) each(do func(*replay.Second) error) error {
	for _, name := range l.Files {
		if _, err := os.Stat(name); err != nil {
			return err
		}
		for old := record.Files - 1; old >= 0; old-- {
			part := name
			if old > 0 {
				part = fmt.Sprintf("%s.%d", name, old)
			}
			if err := read(part, do); err != nil && !(old > 0 && errors.Is(err, os.ErrNotExist)) {
				return err
			}
		}
	}
	return nil
}

func read(name string, do func(*replay.Second) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var s replay.Second
	r := replay.NewReader(f, name)
	for {
		if err := r.Next(&s); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := do(&s); err != nil {
			return err
		}
	}
}

// alike refuses a log in which the resources changed: their numbers would be added to each other's.
func alike(a, b *pace.Config) error {
	if len(a.Resources) != len(b.Resources) {
		return errors.New("the resources were changed during this log: cut it there and look at the parts")
	}
	for i := range a.Resources {
		if a.Resources[i].Name != b.Resources[i].Name || a.Resources[i].Cost != b.Resources[i].Cost {
			return fmt.Errorf("resource %s became %s, or its costs changed, during this log: cut it there and look at the parts", a.Resources[i].Name, b.Resources[i].Name)
		}
	}
	return nil
}
