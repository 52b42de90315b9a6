package page

import (
	_ "embed"
	"strings"
)

var (
	//go:embed rules.js
	rulesJS string
	//go:embed work.js
	workJS string
	//go:embed page.js
	pageJS string
	//go:embed aim.js
	aimJS string
	//go:embed shared.js
	waitJS string

	// js is the page's one script. Its parts share one scope and leave nothing in the window.
	js = slim("(function () {\n'use strict';\n" + rulesJS + workJS + pageJS + "})();\n")
	// sharedJS is that of the page which a cache gives to everybody.
	sharedJS = slim("(function () {\n'use strict';\n" + rulesJS + workJS + aimJS + waitJS + pageJS + "})();\n")
)

// slim leaves out what is for those who read the sources: indentation and lines that are a comment alone. A minifier would
// save more and would have to be trusted; the sources have no string or template that goes over a line.
func slim(source string) string {
	var b strings.Builder
	for line := range strings.Lines(source) {
		if line = strings.TrimLeft(line, " \t"); !strings.HasPrefix(line, "//") && line != "\n" {
			b.WriteString(line)
		}
	}
	return b.String()
}
