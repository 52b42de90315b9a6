package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/deploy/chromium"
)

type screen struct {
	name          string
	width, height int64
	phone         bool
}

// slowest bounds one step of the person: generous, since nothing is measured by it.
const slowest = 30 * time.Second

// browsing bounds one browser: a person's whole way.
const browsing = 10 * time.Minute

// person drives a browser of its own.
type person struct {
	t      *testing.T
	ctx    context.Context
	screen screen
	errors *complaints
}

func newPerson(t *testing.T, sc screen) *person {
	t.Helper()
	ctx := chromium.Tab(t, browsing)
	// The first call binds the browser's life to its context, so it is made without a time limit.
	viewport := []chromedp.EmulateViewportOption{}
	if sc.phone {
		viewport = append(viewport, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(sc.width, sc.height, viewport...)); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return &person{t: t, ctx: ctx, screen: sc, errors: overhear(ctx)}
}

// do runs one step within its time. A failure is told with a picture and the text of what the person saw.
func (p *person) do(what string, step func(ctx context.Context) error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, slowest)
	defer cancel()
	if err := step(ctx); err != nil {
		p.fail(fmt.Sprintf("%s: %v", what, err))
	}
}

func (p *person) fail(why string) {
	p.t.Helper()
	p.shot("failed")
	ctx, cancel := context.WithTimeout(p.ctx, slowest)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + " says:\n" + document.body.innerText`))
	if err != nil {
		text = err.Error()
	}
	p.t.Fatalf("%s\n%.1500s\n%s", why, text, p.errors)
}

// until waits for a condition in the page. It asks again after any error: the page may just be going over to the next.
func (p *person) until(what, condition string) {
	p.t.Helper()
	p.do(what, func(ctx context.Context) error {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool](condition))
			if err == nil && yes {
				return nil
			}
			select {
			case <-ctx.Done():
				return errors.Join(ctx.Err(), err)
			case <-tick.C:
			}
		}
	})
}

// element is the JavaScript for the first match.
func element(selector string) string { return fmt.Sprintf("document.querySelector(%q)", selector) }

func (p *person) open(address string) {
	p.t.Helper()
	p.do("open "+address, func(ctx context.Context) error { return chromedp.Do(ctx, chromedp.Navigate(address)) })
}

func (p *person) sees(what, selector string) {
	p.t.Helper()
	p.until("see "+what+" "+selector, element(selector)+"?.checkVisibility() === true")
}

// missing fails when the element is there now.
func (p *person) missing(selector string) {
	p.t.Helper()
	p.do("look for "+selector, func(ctx context.Context) error {
		there, err := chromedp.Run(ctx, chromedp.Evaluate[bool](element(selector)+" !== null"))
		if err == nil && there {
			err = errors.New("it is on the page too early")
		}
		return err
	})
}

// click waits until the element can be used, and clicks where it is, as a mouse or a finger does.
func (p *person) click(selector string) {
	p.t.Helper()
	p.until("find "+selector, element(selector)+"?.checkVisibility() && !"+element(selector)+".disabled")
	p.do("click "+selector, func(ctx context.Context) error {
		css := chromedp.CSS(selector)
		if p.screen.phone {
			return chromedp.Do(ctx, chromedp.ScrollIntoView(css), chromedp.Tap(css))
		}
		return chromedp.Do(ctx, chromedp.ScrollIntoView(css), chromedp.Click(css))
	})
}

func (p *person) fill(selector, text string) {
	p.t.Helper()
	p.do("fill "+selector, func(ctx context.Context) error {
		for {
			err := chromedp.Do(ctx, chromedp.Clear(chromedp.CSS(selector)), chromedp.SendKeys(chromedp.CSS(selector), text))
			if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "Could not find node") {
				return err
			} // the page was just going over to the next one, which has the field too
		}
	})
}

// submit presses Enter in a field.
func (p *person) submit(selector string) {
	p.t.Helper()
	p.do("submit "+selector, func(ctx context.Context) error {
		return chromedp.Do(ctx, chromedp.SendKeys(chromedp.CSS(selector), "\r"))
	})
}

func (p *person) choose(selector, value string) {
	p.t.Helper()
	p.sees("the choice", selector)
	p.do("choose "+value, func(ctx context.Context) error {
		return chromedp.Do(ctx, chromedp.SetValue(chromedp.CSS(selector), value))
	})
}

// count waits until exactly n such elements are there.
func (p *person) count(what, selector string, n int) {
	p.t.Helper()
	p.until(fmt.Sprintf("count %s, want %d", what, n), fmt.Sprintf("document.querySelectorAll(%q).length === %d", selector, n))
}

// shot keeps a picture of the whole page.
func (p *person) shot(name string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, slowest)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Errorf("picture %s: %v", name, err)
		return
	}
	keep(p.t, p.screen.name+"-"+name+".png", png)
}

// complained fails the test for what the pages wrote to the browser's console as an error.
func (p *person) complained() {
	p.t.Helper()
	if text := p.errors.String(); text != "" {
		p.t.Errorf("the browser complained:\n%s", text)
	}
}
