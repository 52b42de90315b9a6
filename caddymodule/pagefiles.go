package caddymodule

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/caddyserver/caddy/v2"

	"github.com/ropeline/ropeline/caddymodule/captcha"
	"github.com/ropeline/ropeline/caddymodule/page"
)

// loadPages reads an operator's template and texts. They are judged here, when a configuration is loaded: a page that
// fails must not be found out by the crowd.
func loadPages(c RoomConfig) (*page.Set, error) {
	if c.Template == "" && c.Texts == "" && c.Captcha == "" {
		return page.Default(), nil
	}
	o := page.Options{Hosts: captcha.Services[c.Captcha].Hosts}
	repl := caddy.NewReplacer()
	if c.Template != "" {
		b, err := os.ReadFile(repl.ReplaceKnown(c.Template, ""))
		if err != nil {
			return nil, fmt.Errorf("template: %w", err)
		}
		if o.Template = string(b); o.Template == "" {
			return nil, fmt.Errorf("template %s is empty: leave the option out to have our page", c.Template)
		}
	}
	if c.Texts != "" {
		var err error
		if o.Texts, err = readTexts(repl.ReplaceKnown(c.Texts, "")); err != nil {
			return nil, fmt.Errorf("texts: %w", err)
		}
	}
	s, err := page.New(o)
	if err != nil && c.Template != "" {
		return nil, fmt.Errorf("%s: %w", strings.Trim(c.Template+" "+c.Texts, " "), err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Texts, err)
	}
	return s, nil
}

// readTexts takes a directory of <language>.json, or one file of {"<language>": {...}}.
func readTexts(name string) (map[string][]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	if !info.IsDir() {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var tables map[string]json.RawMessage
		if err := json.Unmarshal(b, &tables); err != nil {
			return nil, fmt.Errorf(`%s: %w: write {"en": {"waiting": "..."}, ...}`, name, err)
		}
		for lang, table := range tables {
			out[lang] = table
		}
		return out, nil
	}
	files, err := filepath.Glob(filepath.Join(name, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no <language>.json: name the files en.json, fr.json and so on", name)
	}
	for _, f := range files {
		if out[strings.TrimSuffix(filepath.Base(f), ".json")], err = os.ReadFile(f); err != nil {
			return nil, err
		}
	}
	return out, nil
}
