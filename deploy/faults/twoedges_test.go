package faults

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ropeline/ropeline/admission/line/redistest"
	"github.com/ropeline/ropeline/deploy/fleet"
	"github.com/ropeline/ropeline/deploy/stack"
)

// site is deploy/twoedges on this machine: each of its hosts is a loopback address, so that all can use the files' own ports.
type site struct {
	t        *testing.T
	dir, bin string
	files    string // deploy/twoedges
	port     struct{ edge, ready, admin, redis, sentinel, balancer int }
	env      []string
	origin   *fleet.Origin
	judged   bool // the origin has stopped
	children map[string]*stack.Child
}

// ourHosts stands for the files' 10.0.0.; the last part of each address is kept.
const ourHosts = "127.0.66."

func (s *site) address(host string, port int) string {
	return net.JoinHostPort(ourHosts+host, strconv.Itoa(port))
}

func openSite(t *testing.T) *site {
	t.Helper()
	root := must(stack.Repository())(t)
	s := &site{t: t, dir: t.TempDir(), bin: must(program())(t), files: filepath.Join(root, "deploy", "twoedges"), children: map[string]*stack.Child{}}
	ports := must(stack.FreePorts(7))(t)
	s.port.edge, s.port.ready, s.port.redis, s.port.sentinel, s.port.balancer, s.port.admin = ports[0], ports[1], ports[2], ports[3], ports[4], ports[6]
	s.origin = must(fleet.StartOrigin(filepath.Join(s.dir, "record.jsonl"), nil))(t)
	check(t, fleet.NewKeys(t.Context(), s.bin, filepath.Join(s.dir, "keys")))
	var sentinels []string
	for _, h := range []string{"31", "32", "33"} {
		sentinels = append(sentinels, s.address(h, s.port.sentinel))
	}
	s.env = []string{
		"ROPELINE_STORE=redis+sentinel://:change-me@" + strings.Join(sentinels, ",") + "/0?master_name=ropeline",
		"ROPELINE_KEYS=" + filepath.Join(s.dir, "keys"), "ROPELINE_BALANCER=127.0.0.0/8", "ROPELINE_ORIGIN=" + s.origin.Addr(),
		"ROPELINE_PORT=" + strconv.Itoa(s.port.edge), "ROPELINE_READY_PORT=" + strconv.Itoa(s.port.ready), "ROPELINE_SHUTDOWN_DELAY=2s",
		"BALANCER_PORT=" + strconv.Itoa(s.port.balancer), "BALANCER_BIND=127.0.0.1", "BALANCER_ADMIN=127.0.0.1:" + strconv.Itoa(ports[5]),
		"ROPELINE_EDGE_1=" + ourHosts + "21", "ROPELINE_EDGE_2=" + ourHosts + "22",
	}
	t.Cleanup(s.end)
	s.startRedis("31")
	s.startRedis("32")
	for _, h := range []string{"31", "32", "33"} {
		s.startSentinel(h)
	}
	s.quorum()
	s.startEdge("21")
	s.startEdge("22")
	s.start("balancer", s.bin, []string{"run", "--config", filepath.Join(s.files, "balancer.Caddyfile"), "--adapter", "caddyfile"}, "127.0.0.1", s.port.balancer)
	return s
}

func (s *site) start(name, path string, args []string, host string, port int, env ...string) {
	s.t.Helper()
	dir := filepath.Join(s.dir, name)
	check(s.t, os.MkdirAll(dir, 0o755))
	c := must(stack.Start(dir, stack.Spec{Name: name, Path: path, Args: args,
		Env: append(append([]string{"XDG_DATA_HOME=" + dir, "XDG_CONFIG_HOME=" + dir}, s.env...), env...)}))(s.t)
	s.children[name] = c
	check(s.t, stack.Await(s.t.Context(), c, stack.Listens(net.JoinHostPort(host, strconv.Itoa(port)))))
}

// startRedis runs redis.conf; the second server begins as the replica, as the README says.
func (s *site) startRedis(host string) {
	s.t.Helper()
	dir := filepath.Join(s.dir, "redis-"+host)
	check(s.t, os.MkdirAll(dir, 0o755))
	conf := filepath.Join(dir, "redis.conf")
	if _, err := os.Stat(conf); err != nil { // else roles may have changed since, and Sentinel has written that into it
		text := string(must(os.ReadFile(filepath.Join(s.files, "redis.conf")))(s.t))
		text = strings.Replace(text, "port 6379", fmt.Sprintf("port %d\nbind %s\nreplica-announce-ip %[2]s\ndir %s", s.port.redis, ourHosts+host, dir), 1)
		if host == "32" {
			text += fmt.Sprintf("replicaof %s %d\n", ourHosts+"31", s.port.redis)
		}
		check(s.t, os.WriteFile(conf, []byte(text), 0o600))
	}
	s.start("redis-"+host, must(redistest.Find())(s.t), []string{conf}, ourHosts+host, s.port.redis)
}

func (s *site) startSentinel(host string) {
	s.t.Helper()
	dir := filepath.Join(s.dir, "sentinel-"+host)
	check(s.t, os.MkdirAll(dir, 0o755))
	text := string(must(os.ReadFile(filepath.Join(s.files, "sentinel.conf")))(s.t))
	text = strings.Replace(text, "port 26379", fmt.Sprintf("port %d\nbind %s\nsentinel announce-ip %[2]s\ndir %s", s.port.sentinel, ourHosts+host, dir), 1)
	text = strings.Replace(text, "10.0.0.31 6379", fmt.Sprintf("%s31 %d", ourHosts, s.port.redis), 1)
	conf := filepath.Join(dir, "sentinel.conf")
	check(s.t, os.WriteFile(conf, []byte(text), 0o600))
	s.start("sentinel-"+host, must(redistest.Find())(s.t), []string{conf, "--sentinel"}, ourHosts+host, s.port.sentinel)
}

func (s *site) startEdge(host string) {
	s.t.Helper()
	dir := filepath.Join(s.dir, "edge-"+host)
	s.start("edge-"+host, s.bin, []string{"run", "--config", filepath.Join(s.files, "edge.Caddyfile"), "--adapter", "caddyfile"}, ourHosts+host, s.port.edge,
		"ROPELINE_BIND="+ourHosts+host, "ROPELINE_ADMIN="+s.address(host, s.port.admin), "ROPELINE_DATA="+filepath.Join(dir, "rooms"),
		"ROPELINE_GRANT_LOG="+filepath.Join(dir, "grants.jsonl"))
}

// quorum waits until each sentinel knows the replica and the two others: before that there can be no failover.
func (s *site) quorum() {
	s.t.Helper()
	for _, h := range []string{"31", "32", "33"} {
		c := redis.NewSentinelClient(&redis.Options{Addr: s.address(h, s.port.sentinel)})
		s.until("sentinel "+h+" knows all", func() bool {
			m, err := c.Master(s.t.Context(), "ropeline").Result()
			return err == nil && m["num-other-sentinels"] == "2" && m["num-slaves"] == "1"
		})
		_ = c.Close()
	}
}

// primary is the host that the sentinels name.
func (s *site) primary() string {
	for _, h := range []string{"33", "32", "31"} {
		c := redis.NewSentinelClient(&redis.Options{Addr: s.address(h, s.port.sentinel)})
		a, err := c.GetMasterAddrByName(s.t.Context(), "ropeline").Result()
		_ = c.Close()
		if err == nil && len(a) == 2 {
			return strings.TrimPrefix(a[0], ourHosts)
		}
	}
	return ""
}

func (s *site) end() {
	for _, name := range []string{"balancer", "edge-21", "edge-22", "sentinel-31", "sentinel-32", "sentinel-33", "redis-31", "redis-32"} {
		c := s.children[name]
		if c == nil {
			continue
		}
		if err := c.Stop(); err != nil {
			s.t.Error(err)
		}
		if s.t.Failed() {
			s.t.Logf("%s:\n%s", name, c.Tail())
		}
	}
	if !s.judged {
		_ = s.origin.Stop()
	}
}

func (s *site) url() string { return "http://127.0.0.1:" + strconv.Itoa(s.port.balancer) }

func (s *site) until(what string, f func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if f() {
			return
		}
	}
	s.t.Fatalf("%s: not within %s", what, patience)
}
