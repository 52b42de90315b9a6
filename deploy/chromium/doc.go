// Package chromium starts the real browser that the tests of pages drive. It is for tests only: how a browser starts
// where they run as root and without a network is written down once.
package chromium
