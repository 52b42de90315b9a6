package page

import _ "embed"

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
	js = "(function () {\n'use strict';\n" + rulesJS + workJS + pageJS + "})();\n"
	// sharedJS is that of the page which a cache gives to everybody.
	sharedJS = "(function () {\n'use strict';\n" + rulesJS + workJS + aimJS + waitJS + pageJS + "})();\n"
)
