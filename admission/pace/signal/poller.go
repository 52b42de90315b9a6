package signal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/telemetry"
)

// Limits of reading.
const (
	Every   = 2 * time.Second
	timeout = 1500 * time.Millisecond
	MaxURLs = 16
)

// Sources is where an origin's telemetry is.
type Sources struct {
	URLs []string
	// Header is sent along, as http.Header has it: the origin may ask for a secret.
	Header http.Header
}

// CheckURL names what is wrong with an address of telemetry.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "" {
		return fmt.Errorf("telemetry %q: write an address like http://10.0.0.7:9090/telemetry", text)
	}
	return nil
}

// Poller asks the instances.
type Poller struct {
	sources Sources
	client  *http.Client
	look    func(ctx context.Context, host string) ([]string, error)

	mu      sync.Mutex
	hosts   map[string][]string // addresses that each host had last
	targets map[string]*target  // by address and URL
	heard   []heard             // since the last Take
}

// target is one address that is asked.
type target struct {
	url, address string
	last         time.Time // of the last answer
	err          error     // of the last question
	asked        time.Time
}

type heard struct {
	answer *telemetry.Answer
	at     time.Time // on this machine's monotonic clock
}

type dialKey struct{}

// NewPoller asks nobody yet.
func NewPoller(s Sources) *Poller {
	var d net.Dialer
	p := &Poller{sources: s, look: net.DefaultResolver.LookupHost, hosts: map[string][]string{}, targets: map[string]*target{}}
	p.client = &http.Client{
		Transport: &http.Transport{
			// A connection that is kept is one to any of a name's addresses, and would not be asked for by address.
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				if one, ok := ctx.Value(dialKey{}).(string); ok {
					address = one
				}
				return d.DialContext(ctx, network, address)
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return p
}

// Run polls while wanted says so, until ctx ends.
func (p *Poller) Run(ctx context.Context, wanted func() bool) {
	t := time.NewTicker(Every)
	defer t.Stop()
	for {
		if wanted() {
			p.Poll(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// Poll asks every instance once, all at the same time.
func (p *Poller) Poll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var wait sync.WaitGroup
	for _, u := range p.sources.URLs {
		for _, address := range p.resolve(ctx, u) {
			wait.Go(func() { p.ask(ctx, u, address) })
		}
	}
	wait.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, t := range p.targets { // an address that is gone from its name is not asked any more
		if time.Since(t.asked) > forgetAfter {
			delete(p.targets, key)
		}
	}
}

const forgetAfter = time.Minute

// resolve lists the addresses of a URL, or those of before while nobody knows the name.
func (p *Poller) resolve(ctx context.Context, text string) []string {
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	ips, err := p.look(ctx, u.Hostname())
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.target(text, u.Host).err = err
		return p.hosts[text]
	}
	slices.Sort(ips)
	ips = slices.Compact(ips)
	var out []string
	for _, ip := range ips[:min(len(ips), pace.MaxInstances)] {
		out = append(out, net.JoinHostPort(ip, port))
	}
	p.hosts[text] = out
	return out
}

// target is called with mu held.
func (p *Poller) target(url, address string) *target {
	key := url + " " + address
	t := p.targets[key]
	if t == nil {
		t = &target{url: url, address: address}
		p.targets[key] = t
	}
	t.asked = time.Now()
	return t
}

func (p *Poller) ask(ctx context.Context, url, address string) {
	a, err := p.fetch(context.WithValue(ctx, dialKey{}, address), url)
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.target(url, address)
	if t.err = err; err != nil {
		return
	}
	t.last = now
	if len(p.heard) < 4*pace.MaxInstances {
		p.heard = append(p.heard, heard{a, now})
	}
}

func (p *Poller) fetch(ctx context.Context, url string) (*telemetry.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	for name, values := range p.sources.Header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json")
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s", resp.Status)
	}
	return telemetry.Decode(resp.Body)
}

// Source is how one address fares.
type Source struct {
	URL, Address string
	Age          float64 // seconds since its last answer; negative: never
	Err          string
}

// Sources lists the addresses that were asked lately.
func (p *Poller) Sources(now time.Time) (out []Source) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.targets {
		s := Source{URL: t.url, Address: t.address, Age: -1}
		if !t.last.IsZero() {
			s.Age = now.Sub(t.last).Seconds()
		}
		if t.err != nil {
			s.Err = cause(t.err)
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Source) int {
		switch {
		case a.URL+a.Address < b.URL+b.Address:
			return -1
		case a.URL+a.Address > b.URL+b.Address:
			return 1
		}
		return 0
	})
	return out
}

// cause drops the method and address that net/http puts in front.
func cause(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}
