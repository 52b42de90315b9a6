// Package captcha asks a CAPTCHA service whether a token proves a person. Services differ in their widget and their
// address only, so one verifier serves all that speak the siteverify protocol; another kind is another [Verifier].
package captcha
