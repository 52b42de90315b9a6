// Package page is the queue page: one self-contained answer, since no asset of it could get past the line. It works
// without JavaScript by a button, says only what the room has said, and has its texts in texts.json.
package page
