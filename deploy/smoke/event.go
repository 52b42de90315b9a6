package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// The sale: 500 seats, held for four seconds and never longer, so that many are taken over from buyers who walked away.
const (
	slug    = "smoke"
	rows    = 20
	perRow  = 25
	holdTTL = "4s"
	spacing = 40 // of seats on the plan
)

// writeEvent writes the import file of the sale.
func writeEvent(path string) error {
	type seatRow struct {
		Name  string  `json:"name"`
		Seats [][]any `json:"seats"`
	}
	var hall []seatRow
	for r := range rows {
		row := seatRow{Name: fmt.Sprint(r + 1)}
		for n := range perRow {
			row.Seats = append(row.Seats, []any{fmt.Sprint(n + 1), (n + 1) * spacing, (r + 1) * spacing})
		}
		hall = append(hall, row)
	}
	file := map[string]any{
		"venue": map[string]any{
			"slug": "smoke-hall", "name": "Smoke Hall", "city": "Leipzig", "country": "DE",
			"width": (perRow + 1) * spacing, "height": (rows + 1) * spacing,
			"sections": []any{map[string]any{"name": "Stalls", "class": "A", "rows": hall}},
		},
		"events": []any{map[string]any{
			"slug": slug, "venue": "smoke-hall", "organiser": "Smoke", "title": "Smoke Test Concert", "place": "Leipzig",
			"starts_at": time.Now().AddDate(1, 0, 0).Format("2006-01-02T15:04"), "time_zone": "Europe/Berlin", "currency": "EUR",
			"hold_ttl": holdTTL, "extend": "never",
			"prices": []any{map[string]any{"class": "A", "name": "Stalls", "amount": 4500}},
		}},
	}
	text, err := json.MarshalIndent(file, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("event file: %w", err)
	}
	return nil
}
