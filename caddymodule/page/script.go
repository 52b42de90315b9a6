package page

import _ "embed"

var (
	//go:embed rules.js
	rulesJS string
	//go:embed work.js
	workJS string
	//go:embed page.js
	pageJS string

	// js is the page's one script. Its parts share one scope and leave nothing in the window.
	js = "(function () {\n'use strict';\n" + rulesJS + workJS + pageJS + "})();\n"
)
