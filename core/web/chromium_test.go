package web

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/deploy/chromium"
)

// browserTimeout bounds one test in the browser; it only ends a hung one.
const browserTimeout = 8 * time.Minute

// openBrowser starts a Chromium with an empty profile and returns its one tab.
func openBrowser(t *testing.T) context.Context {
	t.Helper()
	return chromium.Tab(t, browserTimeout)
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
