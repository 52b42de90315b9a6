package caddymodule

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	crawlersEvery   = 24 * time.Hour // a published list is fetched anew
	crawlersRetry   = 5 * time.Minute
	crawlersTimeout = 20 * time.Second
	maxCrawlerList  = 4 << 20
	maxCrawlerNets  = 50_000
	// The widest networks that a list may name. A slip such as 0.0.0.0/0 would open the gate to everybody.
	minBits4, minBits6 = 12, 24
)

// networks is a set of address ranges: by length, so that a look costs as many map reads as there are lengths.
type networks map[int]map[netip.Prefix]struct{}

func (n networks) add(p netip.Prefix) error {
	p = p.Masked()
	if least := map[bool]int{true: minBits4, false: minBits6}[p.Addr().Is4()]; p.Bits() < least {
		return fmt.Errorf("%s is wider than /%d: name the crawlers' own networks", p, least)
	}
	key := p.Bits()
	if p.Addr().Is6() {
		key += 1000
	}
	if n[key] == nil {
		n[key] = map[netip.Prefix]struct{}{}
	}
	n[key][p] = struct{}{}
	return nil
}

func (n networks) has(a netip.Addr) bool {
	for key, set := range n {
		if six := key >= 1000; six == a.Is6() {
			if p, err := a.Prefix(key % 1000); err == nil {
				if _, ok := set[p]; ok {
					return true
				}
			}
		}
	}
	return false
}

func (n networks) size() (total int) {
	for _, set := range n {
		total += len(set)
	}
	return total
}

// crawlerSources splits the option: networks that stand there themselves, files, and addresses of lists.
func crawlerSources(option string) (nets networks, files, urls []string, err error) {
	nets = networks{}
	for _, s := range strings.Fields(option) {
		switch {
		case strings.HasPrefix(s, "https://"):
			urls = append(urls, s)
		case strings.HasPrefix(s, "http://"):
			return nil, nil, nil, fmt.Errorf("crawlers %s: whoever is on the way could name his own networks: use https", s)
		case strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./"):
			files = append(files, s)
		default:
			p, perr := parseNet(s)
			if perr == nil {
				perr = nets.add(p)
			}
			if perr != nil {
				return nil, nil, nil, fmt.Errorf("crawlers %q: %v: write networks such as 66.249.64.0/19, files such as /etc/ropeline/googlebot.json or https:// addresses of published lists", s, perr)
			}
		}
	}
	return nets, files, urls, nil
}

func parseNet(s string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Prefix(a.BitLen())
	}
	return netip.ParsePrefix(s)
}

// readList adds a list to the set. Two forms are known: the JSON that search engines publish ({"prefixes":
// [{"ipv4Prefix": ...}]}), and text with a network a line.
func (n networks) readList(b []byte) error {
	var doc struct {
		Prefixes []struct {
			V4 string `json:"ipv4Prefix"`
			V6 string `json:"ipv6Prefix"`
		} `json:"prefixes"`
	}
	var found []string
	if trimmed := bytes.TrimSpace(b); len(trimmed) > 0 && trimmed[0] == '{' {
		if err := json.Unmarshal(b, &doc); err != nil {
			return err
		}
		for _, p := range doc.Prefixes {
			found = append(found, p.V4+p.V6)
		}
	} else {
		for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
			if text, _, _ := strings.Cut(lines.Text(), "#"); strings.TrimSpace(text) != "" {
				found = append(found, strings.TrimSpace(text))
			}
		}
	}
	if len(found) == 0 {
		return errors.New("no networks in it: it is neither a published list nor one network a line")
	}
	for _, s := range found {
		p, err := parseNet(s)
		if err == nil {
			err = n.add(p)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", clip(s), err)
		}
	}
	if n.size() > maxCrawlerNets {
		return fmt.Errorf("more than %d networks", maxCrawlerNets)
	}
	return nil
}

// crawlersNow reads everything that is here. Lists from the network come later: until then their crawlers wait like
// anybody.
func crawlersNow(option string) (networks, error) {
	nets, files, _, err := crawlerSources(option)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil {
			err = nets.readList(b)
		}
		if err != nil {
			return nil, fmt.Errorf("crawlers %s: %w", f, err)
		}
	}
	return nets, nil
}

// followCrawlers fetches published lists, now and once a day. What cannot be fetched leaves the last list in force.
func (r *room) followCrawlers(ctx context.Context, option string, client *http.Client) {
	_, _, urls, err := crawlerSources(option)
	if err != nil || len(urls) == 0 {
		return
	}
	last := map[string][]byte{}
	for ctx.Err() == nil {
		wait := crawlersEvery
		for _, u := range urls {
			b, err := fetchList(ctx, client, u)
			if err == nil {
				err = (networks{}).readList(b)
			}
			if err != nil {
				wait = crawlersRetry
				r.log.Warn("a list of crawlers' networks is not read; the last one stays in force", "url", u, "error", err)
				continue
			}
			last[u] = b
		}
		nets, err := crawlersNow(option)
		for _, b := range last {
			err = errors.Join(err, nets.readList(b))
		}
		if err == nil && ctx.Err() == nil {
			r.crawlers.Store(&nets)
		}
		_ = pause(ctx, wait)
	}
}

// listClient follows redirects on HTTPS only.
var listClient = &http.Client{CheckRedirect: func(r *http.Request, via []*http.Request) error {
	if r.URL.Scheme != "https" || len(via) > 5 {
		return errors.New("redirected away from HTTPS, or too often")
	}
	return nil
}}

func fetchList(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, crawlersTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("answered %s", resp.Status)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxCrawlerList+1))
	if len(b) > maxCrawlerList {
		err = fmt.Errorf("longer than %d bytes", maxCrawlerList)
	}
	return b, err
}

// crawler says whether a request comes from a verified crawler: by its address alone, since anybody can write any
// User-Agent. It may look, and no more.
func (h *Handler) crawler(r *http.Request) bool {
	nets := h.room.crawlers.Load()
	if nets == nil || len(*nets) == 0 || !slices.Contains([]string{http.MethodGet, http.MethodHead}, r.Method) {
		return false
	}
	a, _ := visitorAddr(r)
	return a.IsValid() && nets.has(a)
}
