// Package console is the page on which a capacity engineer watches and steers the admission of the rooms: why the rate is
// what it is, what the people inside will still need, what happens if a signal dies, and what an intervention would do.
//
// It is one HTML file with its style and script inside, served by the edge's admin listener and fed by its admin API
// (package admission/pace/report). It loads nothing from anywhere else, so it works on a machine that sees only the edge.
//
//	console.html console.css   the frame
//	draw.js     elements, numbers, charts
//	why.js      the number, its limits, the history
//	inside.js   people, resources, signals, stock
//	steer.js    the controls
//	main.js     which room, asking, what to do when nobody answers
package console
