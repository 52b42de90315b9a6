package line

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// urlForms are the ways to name a store, for whoever mistyped one.
const urlForms = "use redis://host:port/0, redis+sentinel://host:port,host:port/0?master_name=NAME, redis+cluster://host:port,host:port " +
	"(rediss instead of redis for TLS), or embedded"

// dial builds the client of a URL without talking to anybody. One form for all three kinds of Redis:
//
//	redis[s][+sentinel|+cluster]://[user:password@]host[:port][,host[:port]...][/db][?parameter=value]
//
// Parameters: ca, a file with the authority that signed the servers' certificates; for Sentinel master_name and, if the
// sentinels have their own, sentinel_user and sentinel_password. User and password are for the servers.
func dial(raw string) (redis.UniversalClient, error) {
	scheme, rest, _ := strings.Cut(raw, "://")
	base, kind, _ := strings.Cut(scheme, "+")
	if base != "redis" && base != "rediss" || kind != "" && kind != "sentinel" && kind != "cluster" {
		return nil, errors.New(urlForms)
	}
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	authority, tail := rest[:end], rest[end:]
	user := ""
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		user, authority = authority[:at+1], authority[at+1:]
	}
	addrs := strings.Split(authority, ",")
	// The hosts are taken apart here: a URL has only one.
	u, err := url.Parse("redis://" + user + "host" + tail)
	if err != nil {
		return nil, errors.New("not a Redis URL: " + urlForms)
	}
	o := &redis.UniversalOptions{
		DialTimeout: storeTimeout, ReadTimeout: storeTimeout, WriteTimeout: storeTimeout,
		ContextTimeoutEnabled: true,
		MaxRetries:            1, DialerRetries: 1, // the room has its own patience
		Username: u.User.Username(),
	}
	o.Password, _ = u.User.Password()
	for _, a := range addrs {
		addr, err := address(a, kind)
		if err != nil {
			return nil, err
		}
		o.Addrs = append(o.Addrs, addr)
	}
	if db := strings.Trim(u.Path, "/"); db != "" {
		if o.DB, err = strconv.Atoi(db); err != nil || o.DB < 0 {
			return nil, fmt.Errorf("database %q: use a number, for example /0", db)
		}
	}
	var ca string
	for name, values := range u.Query() {
		switch value := values[len(values)-1]; {
		case name == "ca" && base == "rediss":
			ca = value
		case name == "master_name" && kind == "sentinel":
			o.MasterName = value
		case name == "sentinel_user" && kind == "sentinel":
			o.SentinelUsername = value
		case name == "sentinel_password" && kind == "sentinel":
			o.SentinelPassword = value
		default:
			return nil, fmt.Errorf("parameter %q is not known here: use ca (with rediss), master_name, sentinel_user or sentinel_password (with +sentinel)", name)
		}
	}
	if base == "rediss" {
		if o.TLSConfig, err = tlsFor(ca); err != nil {
			return nil, err
		}
	}
	switch {
	case kind == "sentinel" && o.MasterName == "":
		return nil, errors.New("master_name is missing: name the master as the sentinels know it, ?master_name=NAME")
	case kind == "cluster" && o.DB != 0:
		return nil, fmt.Errorf("database %d: a cluster has only database 0", o.DB)
	case kind == "" && len(addrs) > 1:
		return nil, errors.New("several hosts: say redis+sentinel or redis+cluster, which of them this is")
	}
	switch kind {
	case "sentinel":
		return redis.NewFailoverClient(o.Failover()), nil
	case "cluster":
		return redis.NewClusterClient(o.Cluster()), nil
	}
	return redis.NewClient(o.Simple()), nil
}

func address(text, kind string) (string, error) {
	port := "6379"
	if kind == "sentinel" {
		port = "26379"
	}
	host := text
	if h, p, err := net.SplitHostPort(text); err == nil {
		host, port = h, p
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fmt.Errorf("port %q: use 1 to 65535", port)
	}
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	}
	if host == "" || strings.ContainsAny(host, " \t[]") {
		return "", fmt.Errorf("host %q: %s", host, urlForms)
	}
	return net.JoinHostPort(host, port), nil
}

// tlsFor trusts the system's authorities, or the one in the file. The server's name is that of each address.
func tlsFor(ca string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca == "" {
		return c, nil
	}
	pem, err := os.ReadFile(ca)
	if err != nil {
		return nil, fmt.Errorf("ca: %w", err)
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("ca %s: no certificate in it (PEM)", ca)
	}
	return c, nil
}
