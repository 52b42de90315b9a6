package web

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// browserTimeout bounds one test in the browser; it only ends a hung one.
const browserTimeout = 8 * time.Minute

// openBrowser starts a Chromium with an empty profile and returns its one tab.
func openBrowser(t *testing.T) context.Context {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Fatal("no Chromium found: the storefront's tests run its scripts in a real browser; install it (apt-get install chromium)")
	}
	profile, err := os.MkdirTemp("", "ropeline-web-*")
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.UserDataDir(profile), chromedp.DisableGPU,
		chromedp.NoSandbox, // tests run as root too, as which the sandbox refuses to start
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-quic", true),
	)
	parent, stop := context.WithTimeout(context.WithoutCancel(t.Context()), browserTimeout)
	alloc, cancelAlloc := chromedp.NewExecAllocator(parent, options...)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil { // closes the browser and waits for it
			t.Logf("close the browser: %v", err)
		}
		cancel()
		cancelAlloc()
		stop()
		if err := os.RemoveAll(profile); err != nil {
			t.Logf("a process of the browser still writes to its profile: %v", err)
		}
	})
	return ctx
}

// run does steps in the tab.
func run(t *testing.T, ctx context.Context, what string, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// evaluate returns the value of an expression in the tab, awaited.
func evaluate[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("evaluate %s: %v", expression, err)
	}
	return v
}
