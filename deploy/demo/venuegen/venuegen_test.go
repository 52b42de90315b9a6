package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/ropeline/ropeline/core/event/eventfile"
)

func TestKeptFilesAreTheGeneratedOnes(t *testing.T) {
	for name, generate := range files {
		kept, err := os.ReadFile(filepath.Join("..", "data", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(kept, generate()) {
			t.Errorf("%s differs from what venuegen writes; run `go run ./deploy/demo/venuegen deploy/demo/data`", name)
		}
	}
}

func TestEveryDemoFileCanBeImported(t *testing.T) {
	all, err := filepath.Glob(filepath.Join("..", "data", "*.json"))
	if err != nil || len(all) < 5 {
		t.Fatalf("%d demo files (%v), want the stadium, the club, the festival, the bus and the flight", len(all), err)
	}
	for _, name := range all {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := eventfile.Parse(data); err != nil {
			t.Errorf("%s:\n%v", name, err)
		}
	}
}

func TestVenuesHaveTheirSeats(t *testing.T) {
	for _, v := range []struct {
		name          string
		sections      []section
		seats, apart  int
		width, height float64
		classes       int
	}{
		{"stadium", stadium(), stadiumSeats, 44, stadiumWidth, stadiumHeight, 5},
		{"club", club(), clubSeats, 50, clubWidth, clubHeight, 2},
	} {
		if n := seatsOf(v.sections); n != v.seats {
			t.Errorf("%s has %d seats, want %d", v.name, n, v.seats)
		}
		classes := map[string]bool{}
		type cell struct{ x, y int }
		grid := map[cell][]seat{}
		apart := float64(v.apart)
		for _, s := range v.sections {
			classes[s.class] = true
			for _, r := range s.rows {
				for _, p := range r.seats {
					if p.x < 0 || p.y < 0 || p.x > v.width || p.y > v.height {
						t.Fatalf("%s: section %s row %s has a seat outside of the plan at %.0f,%.0f", v.name, s.name, r.name, p.x, p.y)
					}
					c := cell{int(p.x / apart), int(p.y / apart)}
					for dx := -1; dx <= 1; dx++ {
						for dy := -1; dy <= 1; dy++ {
							for _, q := range grid[cell{c.x + dx, c.y + dy}] {
								if math.Hypot(p.x-q.x, p.y-q.y) < apart {
									t.Fatalf("%s: section %s row %s: two seats within %d cm at %.0f,%.0f", v.name, s.name, r.name, v.apart, p.x, p.y)
								}
							}
						}
					}
					grid[c] = append(grid[c], p)
				}
			}
		}
		if len(classes) != v.classes {
			t.Errorf("%s has %d price classes, want %d", v.name, len(classes), v.classes)
		}
	}
}
