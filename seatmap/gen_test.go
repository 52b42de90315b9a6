package seatmap

import (
	"encoding/binary"

	"pgregory.net/rapid"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func appendUint32(b []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(b, v) }

func anyVersion() *rapid.Generator[Version] {
	return rapid.Custom(func(t *rapid.T) Version {
		return Version{rapid.Int64Min(0).Draw(t, "v"), rapid.Int64Min(0).Draw(t, "e")}
	})
}

func anyMap() *rapid.Generator[*Map] {
	return rapid.Custom(func(t *rapid.T) *Map {
		states := rapid.SliceOfN(state(), 0, 200).Draw(t, "states")
		m := &Map{Version: anyVersion().Draw(t, "version"), Seats: len(states), States: Pack(states)}
		copy(m.Geometry[:], rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "geometry"))
		if len(states) == 0 {
			m.States = nil
		}
		id := int64(0)
		for range rapid.IntRange(0, 5).Draw(t, "counters") {
			id += rapid.Int64Range(1, 1<<40).Draw(t, "id distance")
			m.Counters = append(m.Counters, Counter{id, anyLevel().Draw(t, "level")})
		}
		return m
	})
}

func anyLevel() *rapid.Generator[Level] {
	return rapid.Map(rapid.Int64(), LevelOf)
}

// mapAndLater draws a map and what may have become of it.
func mapAndLater(t *rapid.T) (from, to *Map) {
	from = anyMap().Draw(t, "from")
	to = &Map{Geometry: from.Geometry, Version: from.Version, Seats: from.Seats}
	to.Version = anyVersion().Filter(func(v Version) bool { return v.Compare(from.Version) >= 0 }).Draw(t, "to version")
	to.States = append(to.States, from.States...)
	for range rapid.IntRange(0, 20).Draw(t, "changes") {
		if from.Seats > 0 {
			Set(to.States, rapid.IntRange(1, from.Seats).Draw(t, "seat"), state().Draw(t, "state"))
		}
	}
	for _, c := range from.Counters {
		if rapid.Bool().Draw(t, "counter changes") {
			c.Level = anyLevel().Draw(t, "level")
		}
		to.Counters = append(to.Counters, c)
	}
	if rapid.Bool().Draw(t, "counter added") {
		id := int64(1)
		if n := len(to.Counters); n > 0 {
			id += to.Counters[n-1].ID
		}
		to.Counters = append(to.Counters, Counter{id, 9})
	}
	return from, to
}
