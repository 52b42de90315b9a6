// Package axe judges the accessibility of pages in the browser tests, with
// axe-core as its authors publish it (testdata/README.md). It is for tests only.
package axe

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"testing"

	"github.com/chromedp/chromedp"
)

//go:embed testdata/axe.min.js
var source string

// hash is of the file that testdata/README.md names; a changed file is another judge.
const hash = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"

// Finding is what axe-core has against a page, with the elements it means.
type Finding struct{ ID, Help, HTML string }

// judge runs every rule of WCAG 2.0 to 2.2, A and AA, and axe-core's own good practice.
const judge = `axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})
	.then(r => r.violations.map(v => ({ID: v.id, Help: v.help, HTML: v.nodes.map(n => n.html + ' ' + n.failureSummary).join(' | ')})))`

// Judge returns what is wrong with the page in the tab.
func Judge(t *testing.T, ctx context.Context) []Finding {
	t.Helper()
	if sum := sha256.Sum256([]byte(source)); hex.EncodeToString(sum[:]) != hash {
		t.Fatal("deploy/axe/testdata/axe.min.js is not the file that its README names")
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[any](source+";0")); err != nil {
		t.Fatalf("axe-core does not run in this page: %v", err)
	}
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]Finding](judge, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("axe-core: %v", err)
	}
	return found
}
