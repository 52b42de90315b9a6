package paced

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"time"

	"github.com/ropeline/ropeline/admission/pace/record"
)

// The picture: three panels above each other with one time axis. Drawn with the standard library: a plotting module would
// bring a font engine and a dozen others into every build for one test's picture.
const (
	width, panelHeight       = 1280, 250
	left, right, top, bottom = 76, 190, 34, 56
	gap                      = 46
)

var (
	ink    = color.RGBA{30, 34, 42, 255}
	faint  = color.RGBA{218, 222, 228, 255}
	blue   = color.RGBA{20, 90, 200, 255}
	red    = color.RGBA{200, 40, 40, 255}
	green  = color.RGBA{20, 140, 80, 255}
	orange = color.RGBA{210, 120, 0, 255}
	purple = color.RGBA{120, 60, 180, 255}
	gray   = color.RGBA{130, 136, 146, 255}
)

type curve struct {
	name  string
	color color.RGBA
	of    func(r *record.Record) float64
	thick bool
}

type panel struct {
	title  string
	most   float64 // of the axis; 0: what the curves need
	cut    float64 // of what does not count for that: a limit far above says nothing
	curves []curve
}

func panels() []panel {
	return []panel{
		{"people a second: the rate, and what each limit would give", 0, 12, []curve{
			{"limit: db", orange, func(r *record.Record) float64 { return limitOf(r, "db") }, false},
			{"limit: payment", purple, func(r *record.Record) float64 { return limitOf(r, "payment") }, false},
			{"limit: slew", gray, func(r *record.Record) float64 { return limitOf(r, "slew") }, false},
			{"limit: stale", green, func(r *record.Record) float64 { return limitOf(r, "stale") }, false},
			{"limit: brake", red, func(r *record.Record) float64 { return limitOf(r, "brake") }, false},
			{"the rate", blue, func(r *record.Record) float64 { return r.Rate }, true},
		}},
		{"p99 of the answers, seconds (the objective is 1)", 0, 8, []curve{
			{"objective", faint, func(r *record.Record) float64 { return r.Quality.Objective.P99 }, true},
			{"wait for a connection", orange, func(r *record.Record) float64 { return r.Quality.LockWait }, false},
			{"p99 over 10 s", red, func(r *record.Record) float64 { return r.Quality.P99 }, true},
		}},
		{"busy share of each resource, and people inside (of 100)", 1.2, 1.2, []curve{
			{"people inside / 100", gray, func(r *record.Record) float64 { return float64(r.Pipeline.Inside) / 100 }, false},
			{"db", orange, func(r *record.Record) float64 { return usedOf(r, "db") }, true},
			{"payment", purple, func(r *record.Record) float64 { return usedOf(r, "payment") }, true},
		}},
	}
}

// picture draws the whole run.
func picture(all []record.Record, marks []mark) ([]byte, error) {
	list := panels()
	c := &canvas{image.NewRGBA(image.Rect(0, 0, width, top+len(list)*(panelHeight+gap)-gap+bottom))}
	draw.Draw(c.img, c.img.Bounds(), image.White, image.Point{}, draw.Src)
	begin, end := all[0].At, all[len(all)-1].At
	x := func(t time.Time) int {
		return left + int(t.Sub(begin).Seconds()/max(end.Sub(begin).Seconds(), 1)*float64(width-left-right))
	}
	for i, p := range list {
		y0 := top + i*(panelHeight+gap) // of the top
		p.draw(c, all, y0, x)
		for n, m := range marks {
			at := x(m.at)
			for y := y0; y < y0+panelHeight; y += 6 {
				c.line(at, y, at, y+3, ink)
			}
			if i == 0 {
				c.text(min(at+4, width-right-6*len(m.text)), y0+4+n%3*13, m.text, ink)
			}
		}
	}
	base := top + len(list)*(panelHeight+gap) - gap
	step := 10 * time.Second
	for end.Sub(begin)/step > 14 {
		step *= 2
	}
	for d := time.Duration(0); d <= end.Sub(begin); d += step {
		at := x(begin.Add(d))
		c.line(at, base, at, base+4, ink)
		label := fmt.Sprintf("%.0f", d.Seconds())
		c.text(at-3*len(label), base+10, label, ink)
	}
	c.text(left+(width-left-right)/2-70, base+28, "seconds since the start", ink)
	var b bytes.Buffer
	err := png.Encode(&b, c.img)
	return b.Bytes(), err
}

func (p *panel) draw(c *canvas, all []record.Record, y0 int, x func(time.Time) int) {
	most := p.most
	if most == 0 {
		for _, v := range p.curves {
			for i := range all {
				if f := v.of(&all[i]); f <= p.cut {
					most = max(most, f)
				}
			}
		}
		most = nice(most)
	}
	y := func(v float64) int { return y0 + panelHeight - int(min(v, most)/most*panelHeight) }
	for i := range 6 {
		v := most * float64(i) / 5
		c.line(left, y(v), width-right, y(v), faint)
		label := fmt.Sprintf("%.3g", v)
		c.text(left-8-6*len(label), y(v)-3, label, ink)
	}
	c.line(left, y0, left, y0+panelHeight, ink)
	c.line(left, y0+panelHeight, width-right, y0+panelHeight, ink)
	c.text(left, y0-13, p.title, ink)
	for k, v := range p.curves {
		ly := y0 + 6 + 16*k
		c.stroke(width-right+12, ly+3, width-right+34, ly+3, v.color, v.thick)
		c.text(width-right+40, ly, v.name, ink)
		for i := 1; i < len(all); i++ {
			a, b := v.of(&all[i-1]), v.of(&all[i])
			if math.IsNaN(a) || math.IsNaN(b) || a > most && b > most && !v.thick {
				continue // a limit far above; what the panel is about goes on along its edge
			}
			c.stroke(x(all[i-1].At), y(a), x(all[i].At), y(b), v.color, v.thick)
		}
	}
}

// nice is the next end of an axis that reads well.
func nice(v float64) float64 {
	if !(v > 0) {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 1.5, 2, 3, 4, 5, 6, 8, 10} {
		if n*unit >= v {
			return n * unit
		}
	}
	return 10 * unit
}
