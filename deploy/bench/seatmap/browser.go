package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/deploy/debian"
)

// pan drags the map for two seconds and returns the time of each frame, in ms.
const pan = `(async () => {
	const map = document.getElementById('seat-map'), box = map.getBoundingClientRect();
	const at = (type, x, y) => map.dispatchEvent(new PointerEvent(type, { pointerId: 7, isPrimary: true, bubbles: true, button: 0, buttons: 1, clientX: x, clientY: y }));
	const x = box.left + box.width / 2, y = box.top + box.height / 2, times = [];
	at('pointerdown', x, y);
	const begin = performance.now();
	let last = begin;
	await new Promise((done) => requestAnimationFrame(function frame(now) {
		const t = performance.now();
		times.push(t - last);
		last = t;
		const turn = (t - begin) / 1000;
		at('pointermove', x + 200 * Math.sin(turn * 4), y + 120 * Math.cos(turn * 3));
		if (t - begin < 2000) requestAnimationFrame(frame);
		else done();
	}));
	at('pointerup', x, y);
	return times.slice(2);
})()`

// nearer turns the wheel once: 1.7 times as large.
const nearer = `(() => {
	const map = document.getElementById('seat-map'), box = map.getBoundingClientRect();
	map.dispatchEvent(new WheelEvent('wheel', { deltaY: -240, clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true, cancelable: true }));
	return true;
})()`

// zooms are the turns of the wheel at which the map is moved: from all 60,000 seats in sight to some hundred, by way of
// where a frame draws the most single ones.
const zooms = 6

// browser: how long until the first seat can be picked on a cold page, and how smooth it is to move 60,000 of them.
func (b *bench) browser(ctx context.Context, s *shop) error {
	parts, err := debian.ByName("chromium")
	if err != nil {
		return err
	}
	for range b.runs {
		ready, frames, err := visit(ctx, parts[0].Find(), s.BookingURL()+"/events/night-of-lights")
		if err != nil {
			return err
		}
		b.Value("page.map_interactive_s", ready.Seconds())
		worst := 0.0
		for zoom, f := range frames {
			slices.Sort(f)
			worst = max(worst, f[len(f)*95/100])
			b.Note("zoom %d: %d frames, median %.1f ms, p95 %.1f ms", zoom, len(f), f[len(f)/2], f[len(f)*95/100])
		}
		b.Value("page.map_frame_ms_p95", worst)
	}
	b.Print("page.map_frame_ms_p95", "page.map_interactive_s")
	return nil
}

// visit opens the page in a browser without any cache, on software rendering.
func visit(ctx context.Context, program, url string) (ready time.Duration, frames [][]float64, err error) {
	if program == "" {
		return 0, nil, fmt.Errorf("no Chromium found; apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.DisableGPU, chromedp.NoSandbox, chromedp.WindowSize(1280, 900))
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	alloc, end := chromedp.NewExecAllocator(ctx, options...)
	defer end()
	tab, closeTab := chromedp.NewContext(alloc)
	defer closeTab()
	if err := chromedp.Do(tab, chromedp.Navigate("about:blank")); err != nil {
		return 0, nil, err
	}
	begin := time.Now()
	err = chromedp.Do(tab, chromedp.Navigate(url), chromedp.WaitVisible(`#seat-map[data-ready="true"]`))
	ready = time.Since(begin)
	if err != nil {
		return 0, nil, err
	}
	for range zooms {
		times, err := chromedp.Run(tab, chromedp.Evaluate[[]float64](pan, chromedp.EvalAwaitPromise))
		if err == nil && len(times) < 20 {
			err = fmt.Errorf("only %d frames in two seconds", len(times))
		}
		if err == nil {
			_, err = chromedp.Run(tab, chromedp.Evaluate[bool](nearer))
		}
		if err != nil {
			return 0, nil, err
		}
		frames = append(frames, times)
	}
	return ready, frames, nil
}
