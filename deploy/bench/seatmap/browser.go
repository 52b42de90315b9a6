package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/deploy/debian"
)

// pan drags the map for three seconds and returns the time of each frame, in ms.
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
		if (t - begin < 3000) requestAnimationFrame(frame);
		else done();
	}));
	at('pointerup', x, y);
	return times.slice(2);
})()`

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
		slices.Sort(frames)
		b.Value("page.map_interactive_s", ready.Seconds())
		b.Value("page.map_frame_ms_p95", frames[len(frames)*95/100])
		b.Note("%d frames, median %.1f ms", len(frames), frames[len(frames)/2])
	}
	b.Print("page.map_frame_ms_p95", "page.map_interactive_s")
	return nil
}

// visit opens the page in a browser without any cache, on software rendering.
func visit(ctx context.Context, program, url string) (ready time.Duration, frames []float64, err error) {
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
	frames, err = chromedp.Run(tab, chromedp.Evaluate[[]float64](pan, chromedp.EvalAwaitPromise))
	if err == nil && len(frames) < 20 {
		err = fmt.Errorf("only %d frames in three seconds", len(frames))
	}
	return ready, frames, err
}
