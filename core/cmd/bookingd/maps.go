package main

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ropeline/ropeline/core/event"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/seatmap/readpath"
)

// mapConns is enough for a question a round and some events read whole.
const mapConns = 4

// openMaps makes the shelf of seat maps, fed by a replica where there is one.
func openMaps(ctx context.Context, c config, db *pg.DB, log *slog.Logger, registry prometheus.Registerer) (*readpath.Shelf, func(), error) {
	from, end := db, func() {}
	if c.MapsDatabaseURL != "" {
		replica, err := pg.Open(ctx, c.MapsDatabaseURL, pg.Options{MaxConns: mapConns})
		if err != nil {
			return nil, nil, bad("MAPS_DATABASE_URL", "%v", err)
		}
		from, end = replica, replica.Close
	}
	maps := readpath.New(event.NewMaps(from.Pool), log, nil)
	for name, f := range map[string]struct {
		help  string
		value func() int64
	}{
		"ropeline_maps_rounds_total":   {"Times the database was asked what changed, for all watched events together.", maps.Rounds},
		"ropeline_maps_failures_total": {"Rounds without an answer: maps stand still.", maps.Failures},
		"ropeline_maps_loads_total":    {"Events read whole: at the first look, or after a gap.", maps.Loads},
	} {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: f.help}, func() float64 { return float64(f.value()) }))
	}
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "ropeline_maps_watched", Help: "Events whose map somebody looked at lately."},
		func() float64 { return float64(maps.Watching()) }))
	return maps, end, nil
}
