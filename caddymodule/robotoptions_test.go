package caddymodule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is wrong with an option about robots and people is said in one line, with the cure.
func TestOptionsAboutRobots(t *testing.T) {
	for options, want := range map[string]string{
		"pow hard":         "off, auto",
		"join members":     "anyone, identified or invited",
		"join identified":  "needs identity_key",
		"sign_in login":    "for example /login",
		"sign_in //evil/x": "for example /login",
		"join identified\nidentity_key /k\nidentity_from account": "cookie:<name> or header:<name>",
		"join invited\npassthrough on":                            "choose one",
		"captcha recaptcha":                                       "hcaptcha, turnstile",
		"captcha turnstile":                                       "captcha_site_key and captcha_secret",
		"captcha_secret x":                                        "captcha is missing",
		"captcha turnstile\ncaptcha_site_key a\ncaptcha_secret b\npow off":            "never asked",
		"captcha turnstile\ncaptcha_site_key a\ncaptcha_secret b\ncaptcha_url verify": "whole address",
	} {
		if _, err := adapt("http:// {\nwaiting_room main {\nrate 1/s\n" + options + "\n}\n}"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", options, err)
		}
	}
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for text, want := range map[string]string{"short": "at least 32", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n": "Ed25519"} {
		if _, err := loadIdentities(RoomConfig{IdentityKey: file(text)}, "main"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := loadIdentities(RoomConfig{IdentityKey: "/nowhere"}, "main"); err == nil {
		t.Error("a key that is not there")
	}
}
