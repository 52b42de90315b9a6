package web

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A hurried person has two neighbouring seats in a few steps. Steps are counted and not seconds: a finger needs about one
// for each, a busy test machine any number.
const (
	mostTaps = 2 // best two together; hold
	mostKeys = 8 // past the header, to the button, to hold; the fields in between are not used
	thumb    = 44
)

// inSight is where the middle of an element is, and what is wrong with touching it there: it must be on the screen
// without scrolling, nothing may lie over it, and it must be large enough for a thumb.
const inSight = `(() => {
	const el = document.querySelector(%q), box = el.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
	const top = document.elementFromPoint(x, y);
	let wrong = '';
	if (box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth) wrong = 'is not on the screen';
	else if (!el.contains(top)) wrong = 'lies under ' + top?.outerHTML.slice(0, 80);
	else if (box.height < %d || box.width < %[2]d) wrong = 'is too small for a thumb';
	return { X: x, Y: y, Wrong: wrong };
})()`

// primary lists the buttons that stand out, of those that are seen at once.
const primary = `(() => {
	const probe = document.createElement('i');
	probe.style = ''; probe.className = 'button'; document.body.append(probe);
	const loud = getComputedStyle(probe).backgroundColor;
	probe.remove();
	return [...document.querySelectorAll('button, a.button')].filter((b) => {
		const box = b.getBoundingClientRect();
		return b.checkVisibility() && box.bottom > 0 && box.top < innerHeight && getComputedStyle(b).backgroundColor === loud;
	}).map((b) => b.dataset.testid);
})()`

func trialVisitor(t *testing.T, ctx context.Context) *visitor {
	t.Helper()
	b := newBox()
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	v := &visitor{t: t, ctx: ctx, box: b, url: server.URL}
	v.open("/favicon.ico")
	evaluate[any](t, ctx, `document.cookie = 'ropeline_account=x; path=/', null`)
	v.open("/events/gala")
	v.until("the map", drawn)
	return v
}

func (v *visitor) tap(handle string) {
	v.t.Helper()
	selector := "[data-testid=" + handle + "]"
	v.until(handle, `document.querySelector('`+selector+`') && document.querySelector('#seat-map').dataset.still === 'true'`)
	at := evaluate[struct {
		X, Y  float64
		Wrong string
	}](v.t, v.ctx, fmt.Sprintf(inSight, selector, thumb))
	if at.Wrong != "" {
		v.t.Fatalf("%s %s", handle, at.Wrong)
	}
	run(v.t, v.ctx, "tap "+handle, touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: at.X, Y: at.Y}), touch(input.DispatchTouchEventTypeTouchEnd))
}

func touch(kind input.DispatchTouchEventType, points ...*input.TouchPoint) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, tg *chromedp.Target) (chromedp.Void, error) {
		if points == nil {
			points = []*input.TouchPoint{}
		}
		_, err := cdp.Call(ctx, tg, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
		return chromedp.Void{}, err
	}
}

// together says whether the seats that were asked for are neighbours in one row of the arena.
func (v *visitor) together() {
	v.t.Helper()
	v.until("the hold", `document.querySelector('#basket[data-state=held]')`)
	seats := evaluate[[]int](v.t, v.ctx, `JSON.parse(sessionStorage['rl.choice.gala']).seats`)
	if len(seats) != 2 || seats[1]-seats[0] != 1 && seats[0]-seats[1] != 1 || seats[0]/arenaWidth != seats[1]/arenaWidth {
		v.t.Errorf("held are the seats %v, which are not next to each other", seats)
	}
}

func TestTwoSeatsTogetherOnAPhone(t *testing.T) {
	ctx := openBrowser(t)
	run(t, ctx, "a phone", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	v := trialVisitor(t, ctx)
	if loud := evaluate[[]string](t, ctx, primary); len(loud) != 1 || loud[0] != "best-pick" {
		t.Errorf("the first sight of the page offers %v: one obvious choice, want best-pick", loud)
	}
	if label := v.text("[data-testid=best-pick]"); label != "Best 2 seats together" {
		t.Errorf("the button says %q", label)
	}
	taps := 0
	for _, handle := range []string{"best-pick", "hold"} {
		v.tap(handle)
		taps++
		v.until("what follows "+handle, `document.querySelector('#basket:not([data-state=empty])')`)
		if loud := evaluate[[]string](t, ctx, primary); handle == "best-pick" && (len(loud) != 1 || loud[0] != "hold") {
			t.Errorf("after choosing, %v stand out: one next step, want hold", loud)
		}
	}
	v.together()
	if taps > mostTaps {
		t.Errorf("%d taps, want %d", taps, mostTaps)
	}
	v.tap("checkout") // and the next step is under the thumb already
}

func TestTwoSeatsTogetherByKeyboard(t *testing.T) {
	ctx := openBrowser(t)
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			run(t, ctx, "a screen", chromedp.EmulateViewport(width, 844))
			v := trialVisitor(t, ctx)
			pressed := 0
			press := func(key string) {
				v.keys(key)
				pressed++
			}
			focus := func() string {
				return evaluate[string](t, ctx, `document.activeElement.dataset.testid || document.activeElement.className || document.activeElement.id`)
			}
			press(kb.Tab)
			if at := focus(); at != "skip" {
				t.Fatalf("the first stop is %q, want the way past the header", at)
			}
			press(kb.Enter)
			for focus() != "best-pick" {
				press(kb.Tab)
				if pressed > mostKeys {
					t.Fatalf("after %d keys the button is not reached; the focus is at %s", pressed, focus())
				}
				if !evaluate[bool](t, ctx, `document.activeElement.matches(':focus-visible') && getComputedStyle(document.activeElement).outlineStyle !== 'none'`) {
					t.Errorf("the focus cannot be seen at %s", focus())
				}
			}
			press(kb.Enter)
			v.until("the focus at the next step", `document.activeElement.dataset.testid === 'hold'`)
			press(kb.Enter)
			v.together()
			if pressed > mostKeys {
				t.Errorf("%d keys, want at most %d", pressed, mostKeys)
			}
			// Esc, arrows and Enter do the rest; nothing holds the focus for good.
			v.until("the focus at the next step", `document.activeElement.dataset.testid === 'checkout'`)
		})
	}
}
