package paced

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/pace/record"
	"github.com/ropeline/ropeline/admission/pace/report"
)

// The picture has every curve there is something to draw for, also of values beyond the axis and of limits that come and go.
func TestThePictureShowsEveryCurve(t *testing.T) {
	var all []record.Record
	begin := time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC)
	for i := range 60 {
		r := record.Record{At: begin.Add(time.Duration(i) * time.Second)}
		r.Rate = float64(i%20) / 10
		r.Limits = map[string]float64{"db": 2, "payment": 100, "slew": r.Rate + 0.3}
		if i > 30 {
			r.Limits["payment"], r.Limits["stale"], r.Limits["brake"] = 1.5, 1, 0.1
		}
		r.Quality.P99, r.Quality.Objective.P99, r.Quality.LockWait = float64(i)/5, 1, 0.1
		r.Resources = []report.Resource{{Name: "db", Used: 0.5}, {Name: "payment", Used: 0.9}}
		r.Pipeline.Inside = 30
		all = append(all, r)
	}
	b, err := picture(all, []mark{{begin.Add(10 * time.Second), "something breaks"}, {begin.Add(59 * time.Second), "and is whole again"}})
	check(t, err)
	img, err := png.Decode(bytes.NewReader(b))
	check(t, err)
	for i, p := range panels() {
		for _, v := range p.curves {
			n := 0
			for x := left + 1; x < width-right; x++ {
				for y := top + i*(panelHeight+gap); y < top+i*(panelHeight+gap)+panelHeight; y++ {
					if color.RGBAModel.Convert(img.At(x, y)) == v.color {
						n++
					}
				}
			}
			if n < 100 {
				t.Errorf("panel %q: %s has %d dots", p.title, v.name, n)
			}
		}
	}
	for _, m := range []string{"something breaks", "0123456789 people a second: p99, (of 100) / 5 %-"} {
		for _, r := range m {
			if !bytes.ContainsRune([]byte(letters), r) {
				t.Errorf("the picture cannot write %q", r)
			}
		}
	}
}
