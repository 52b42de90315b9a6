package event

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
	"time"

	"github.com/ropeline/ropeline/admission/pace/replay"
	"github.com/ropeline/ropeline/admission/pace/sim"
)

//go:embed page.html
var source string

var pageTemplate = template.Must(template.New("page").Parse(source))

// Content is what a page shows.
type Content struct {
	Text   string // as the command prints it
	Charts []Chart
}

// Report is the page after an event.
func Report(p *replay.Past) Content {
	var text strings.Builder
	_ = Tell(&text, p) // a builder takes everything
	return Content{Text: text.String(), Charts: charts([]Column{{Config: p.Config(), Outcome: p.Outcome()}}, p.Began())}
}

// Compare is the page of several ways an event went.
func Compare(columns []Column) Content {
	var text strings.Builder
	_ = Table(&text, columns)
	return Content{Text: text.String(), Charts: charts(columns, time.Time{})}
}

// Page writes one file that needs nothing else: no script, and a policy that would stop one.
func Page(w io.Writer, title string, c Content) error {
	return pageTemplate.Execute(w, struct {
		Title string
		Content
	}{title, c})
}

const (
	chartWidth  = 900.0
	chartHeight = 160.0
	bandHeight  = 10.0
	mostPoints  = 600 // of a line: more cannot be seen
)

// Chart is one picture, in its own units.
type Chart struct {
	Title, Says string
	Top         string
	Lines       []Line
	Bands       []Band // by the limit that decided, below the first line
	Marks       []Mark
	Width       float64
	Height      float64
	Floor       float64 // y of the time axis's words
}

// Line is a series.
type Line struct {
	Name  string
	Path  string
	Class string
}

// Band is a stretch of time in which one limit decided.
type Band struct {
	X, Y, Width, Height float64
	Name                string
	Class               string
}

// Mark is a word at the time axis.
type Mark struct {
	X      float64
	Text   string
	Anchor string
}

func charts(columns []Column, began time.Time) []Chart {
	end := 1
	for i := range columns {
		if p := columns[i].Outcome.Points; len(p) > 0 {
			end = max(end, p[len(p)-1].Second)
		}
	}
	marks := timeMarks(end, began)
	rate := chart("People a second", columns, end, marks, func(p *sim.Point) float64 { return p.Rate })
	for i := range columns {
		rate.Bands = append(rate.Bands, bands(&columns[i], end, chartHeight+4+float64(i)*(bandHeight+3))...)
	}
	rate.Floor = chartHeight + 18 + float64(len(columns))*(bandHeight+3)
	rate.Height = rate.Floor + 6
	list := []Chart{rate,
		chart("People in line", columns, end, marks, func(p *sim.Point) float64 { return float64(p.Waiting) }),
		chart("People inside", columns, end, marks, func(p *sim.Point) float64 { return float64(p.Inside) })}
	if sold := chart("Seats sold", columns, end, marks, func(p *sim.Point) float64 { return float64(p.Sold) }); sold.Top != "0" {
		list = append(list, sold)
	}
	return list
}

func chart(title string, columns []Column, end int, marks []Mark, of func(*sim.Point) float64) Chart {
	c := Chart{Title: title, Width: chartWidth, Height: chartHeight + 24, Floor: chartHeight + 18, Marks: marks}
	top, says := 0.0, []string{}
	for i := range columns {
		high, at := 0.0, 0
		for k := range columns[i].Outcome.Points {
			if v := of(&columns[i].Outcome.Points[k]); v > high {
				high, at = v, columns[i].Outcome.Points[k].Second
			}
		}
		top = max(top, high)
		says = append(says, strings.TrimSpace(fmt.Sprintf("%s highest %s after %s", columns[i].Title, Rate(high), after(at))))
	}
	c.Top, c.Says = Rate(top), title+": "+strings.Join(says, "; ")
	if top >= 1000 {
		c.Top = Count(int64(math.Round(top)))
	}
	for i := range columns {
		c.Lines = append(c.Lines, Line{Name: columns[i].Title, Class: fmt.Sprintf("l%d", i), Path: path(columns[i].Outcome.Points, end, top, of)})
	}
	return c
}

func path(points []sim.Point, end int, top float64, of func(*sim.Point) float64) string {
	var b strings.Builder
	every := max(1, (len(points)+mostPoints-1)/mostPoints)
	for i := 0; i < len(points); i += every {
		word := "L"
		if i == 0 {
			word = "M"
		}
		y := chartHeight
		if top > 0 {
			y -= chartHeight * of(&points[i]) / top
		}
		fmt.Fprintf(&b, "%s%.1f %.1f", word, chartWidth*float64(points[i].Second)/float64(end), y)
	}
	return b.String()
}

// bands joins neighbours with the same reason.
func bands(c *Column, end int, y float64) (list []Band) {
	names := limits([]Column{*c})
	for i := range c.Outcome.Points {
		p := &c.Outcome.Points[i]
		if p.Waiting == 0 {
			continue
		}
		name := c.Config.Name(p.Reason)
		x := chartWidth * float64(p.Second) / float64(end)
		width := chartWidth * 10 / float64(end)
		if n := len(list); n > 0 && list[n-1].Name == name && list[n-1].X+list[n-1].Width > x-0.01-width/2 {
			list[n-1].Width = x + width - list[n-1].X
			continue
		}
		colour := 0
		for k, other := range names {
			if other == name {
				colour = k % 8
			}
		}
		list = append(list, Band{X: x, Y: y, Width: width, Height: bandHeight, Name: name, Class: fmt.Sprintf("b%d", colour)})
	}
	return list
}

func timeMarks(end int, began time.Time) (list []Mark) {
	for i := range 5 {
		second := end * i / 4
		m := Mark{X: chartWidth * float64(i) / 4, Text: Duration(time.Duration(second) * time.Second), Anchor: "middle"}
		if !began.IsZero() {
			m.Text = began.Add(time.Duration(second) * time.Second).UTC().Format("15:04:05")
		}
		switch i {
		case 0:
			m.Anchor = "start"
		case 4:
			m.Anchor = "end"
		}
		list = append(list, m)
	}
	return list
}
