package caddymodule

import (
	"fmt"
	"os"
	"strings"
)

// secret is the first line of telemetry_secret's file.
func (c *PaceConfig) secret() (string, error) {
	file := c.TelemetrySecret
	if file == "" {
		return "", nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("telemetry_secret: %w: make it with `openssl rand -hex 32 > %s` and give it to the origin too", err, file)
	}
	first, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(first), nil
}

// checkLogDir refuses a decision_log whose directory is not there. One that is made on the way would hide a wrong letter until
// somebody looks for the decisions after the event.
func (c *PaceConfig) checkLogDir() error {
	if c.DecisionLog == "" || c.DecisionLog == noLog {
		return nil
	}
	return checkDirOf("decision_log", c.DecisionLog)
}
