package caddymodule

import (
	"fmt"
	"net/url"

	"github.com/caddyserver/caddy/v2"

	"github.com/ropeline/ropeline/caddymodule/captcha"
)

// captchaOf is the verifier that a configuration names, or none.
func captchaOf(c RoomConfig) (captcha.Verifier, captcha.Service) {
	if c.Captcha == "" {
		return nil, captcha.Service{}
	}
	s := captcha.Services[c.Captcha]
	at := s.Verify
	if c.CaptchaURL != "" {
		at = c.CaptchaURL
	}
	return captcha.Siteverify{URL: at, Secret: caddy.NewReplacer().ReplaceKnown(c.CaptchaSecret, "")}, s
}

func checkCaptcha(c RoomConfig) error {
	if c.Captcha == "" {
		if c.CaptchaSiteKey+c.CaptchaSecret+c.CaptchaURL != "" {
			return fmt.Errorf("captcha is missing beside its keys: name the service, %s", captcha.Names())
		}
		return nil
	}
	if _, ok := captcha.Services[c.Captcha]; !ok {
		return fmt.Errorf("captcha %q: write one of %s", c.Captcha, captcha.Names())
	}
	if c.CaptchaSiteKey == "" || c.CaptchaSecret == "" {
		return fmt.Errorf("captcha %s needs captcha_site_key and captcha_secret: the service's console shows both", c.Captcha)
	}
	if c.Pow == powOff {
		return fmt.Errorf("captcha %s with pow off is never asked: write pow auto or always", c.Captcha)
	}
	if u, err := url.Parse(c.CaptchaURL); c.CaptchaURL != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
		return fmt.Errorf("captcha_url %q: write the whole address of its siteverify", c.CaptchaURL)
	}
	return nil
}
