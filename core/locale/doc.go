// Package locale is what differs from language to language on the pages of the
// booking core: which language a visitor reads, its plural forms, and how it
// writes numbers, money and times.
//
// Five languages, written down here instead of taken from a library: a page's
// script has to write the same number with the same face as the server did, in
// every browser, so both work from one Format (Format.JSON goes to the script).
// The queue page of the edge keeps texts of the same shape; it is another program
// and may not import this one.
//
// Texts are JSON files, one a language, each an object of name and text. A text
// has holes ("{price}"); one that counts something has a form for each plural
// category of the language (CLDR's names), with {n} for the number.
package locale
