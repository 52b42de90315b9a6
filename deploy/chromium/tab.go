package chromium

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/deploy/debian"
)

// Tab starts a Chromium with an empty profile and returns the context of its one tab. The browser is closed with the
// test; everything in it is given up after limit.
func Tab(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	parts, err := debian.ByName("chromium")
	if err != nil {
		t.Fatal(err)
	}
	program := parts[0].Find()
	if program == "" {
		t.Fatal(debian.Advice(parts))
	}
	profile, err := os.MkdirTemp("", "ropeline-browser-*")
	if err != nil {
		t.Fatal(err)
	}
	parent, stop := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.UserDataDir(profile),
		chromedp.DisableGPU,
		chromedp.NoSandbox, // tests run as root too, as which Chromium's sandbox refuses to start
		// Nothing here may call home: on a closed network each try costs seconds.
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true),
	)
	alloc, cancelAlloc := chromedp.NewExecAllocator(parent, options...)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(func() {
		// Cancel closes the browser and waits for it; only then may its profile be removed.
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("close the browser: %v", err)
		}
		cancel()
		cancelAlloc()
		stop()
		os.RemoveAll(profile)
	})
	return ctx
}
