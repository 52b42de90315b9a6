package caddymodule

import (
	"bytes"
	"fmt"
	"os"

	"github.com/ropeline/ropeline/admission"
)

// originSecret reads the file of origin_secret: its first line is what the origin is shown. A file and not the text
// itself, since Caddy keeps and shows its configuration.
func originSecret(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("origin_secret: %w: make it with `openssl rand -hex 32 > %s`", err, file)
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	secret := string(bytes.TrimSpace(line))
	if err := admission.CheckOriginSecret(secret); err != nil {
		return "", fmt.Errorf("origin_secret %s: %w", file, err)
	}
	return secret, nil
}

// rereadSecret follows the file, so that a secret is changed without a reload. One that cannot be read changes nothing.
func (r *room) rereadSecret() {
	file := r.conf.Load().OriginSecret
	secret, err := originSecret(file)
	switch {
	case err != nil:
		r.log.Warn("the secret for the origin stays as it was", "error", err)
	case secret != *r.secret.Load():
		r.secret.Store(&secret)
		r.log.Info("the secret for the origin has changed")
	}
}
