package line

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

func TestStoreURLs(t *testing.T) {
	for url, want := range map[string]string{
		"redis://h":            "h:6379 db0",
		"redis://u:p@h:7000/3": "h:7000 db3 u/p",
		"rediss://:p@h:7000":   "h:7000 db0 /p tls",
		"redis://[::1]:7000/1": "[::1]:7000 db1",
		"redis+sentinel://u:p@h?master_name=boxoffice": "FailoverClient db0 u/p",
		"rediss+sentinel://h:1,i:2,j/2?master_name=m":  "FailoverClient db2 tls",
	} {
		c, err := dial(url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		o := c.(*redis.Client).Options()
		got := o.Addr + " db" + itoa(int64(o.DB))
		if o.Username != "" || o.Password != "" {
			got += " " + o.Username + "/" + o.Password
		}
		if o.TLSConfig != nil {
			got += " tls"
		}
		if got != want {
			t.Errorf("%s: %s, not %s", url, got, want)
		}
		_ = c.Close()
	}
	c, err := dial("redis+cluster://u:p@h:1,[::2]:2")
	if err != nil {
		t.Fatal(err)
	}
	if o := c.(*redis.ClusterClient).Options(); strings.Join(o.Addrs, " ") != "h:1 [::2]:2" || o.Password != "p" {
		t.Errorf("the cluster is %v %s", o.Addrs, o.Password)
	}
	_ = c.Close()
}

func TestStoreURLsRefused(t *testing.T) {
	for url, cure := range map[string]string{
		"redis+sentinel://h":                  "?master_name=NAME",
		"redis://a,b":                         "redis+sentinel or redis+cluster",
		"redis+cluster://a,b/2":               "database 0",
		"redis+ring://a":                      "redis+cluster://",
		"redis://h/x":                         "/0",
		"redis://h:70000":                     "1 to 65535",
		"redis://h?ca=/x":                     "ca (with rediss)",
		"rediss://h?ca=/nowhere/ca.pem":       "no such file",
		"redis://u:secret@h?sentinel_user=me": "not known here",
	} {
		_, err := Open(Options{URL: url})
		if err == nil || !strings.Contains(err.Error(), cure) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}
