package main

import (
	"bytes"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
)

func good() map[string]string {
	return map[string]string{
		"BOOKINGD_DATABASE_URL": "postgres://a@b/c", "BOOKINGD_PASS_JWKS_URL": "http://edge/jwks.json", "BOOKINGD_FAKEPAY_WEBHOOK_SECRETS": "new, old",
	}
}

func TestDefaultsNeedOnlyThreeVariables(t *testing.T) {
	c, err := loadConfig(good())
	if err == nil {
		err = c.forServe()
	}
	if err != nil {
		t.Fatal(err)
	}
	if c.Pass != "required" || c.DevIssuer != "off" {
		t.Errorf("pass %s, dev issuer %s: the defaults must be the safe ones", c.Pass, c.DevIssuer)
	}
	if len(c.secrets) != 2 || c.secrets[1] != "old" || len(c.proxies) != 2 {
		t.Errorf("lists: %q, %v", c.secrets, c.proxies)
	}
}

// One line that names the variable and the cure.
func TestBadEnvironment(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"DATABASE_URL", "", "BOOKINGD_DATABASE_URL: is not set; write it like postgres://ropeline_app@127.0.0.1/ropeline"},
		{"DATABASE_URL", "mysql://user:hunter2@h/d", "BOOKINGD_DATABASE_URL: is no postgres:// address; write it like postgres://ropeline_app@127.0.0.1/ropeline"},
		{"DATABASE_CONNS", "many", `BOOKINGD_DATABASE_CONNS: "many" is no whole number; write one like 16`},
		{"DATABASE_CONNS", "1", "BOOKINGD_DATABASE_CONNS: is 1, want 4 to 1000"},
		{"LISTEN", "9000", `BOOKINGD_LISTEN: "9000" is not host:port; write it like 127.0.0.1:9000`},
		{"PASS", "optional", `BOOKINGD_PASS: "optional" is not one of: required, off`},
		{"PASS_JWKS_URL", "edge", `BOOKINGD_PASS_JWKS_URL: "edge" is no http address; write it like http://127.0.0.1:8080/...`},
		{"DEV_ISSUER", "true", `BOOKINGD_DEV_ISSUER: "true" is not one of: on, off`},
		{"FAKEPAY_WEBHOOK_SECRETS", ",", "BOOKINGD_FAKEPAY_WEBHOOK_SECRETS: is empty; set it to the secret the provider signs with (FAKEPAY_WEBHOOK_SECRET)"},
		{"TRUSTED_PROXIES", "10.0.0.1", `BOOKINGD_TRUSTED_PROXIES: "10.0.0.1" is no network; write it like 10.0.0.0/8`},
		{"ORIGIN_SECRETS", "short", "BOOKINGD_ORIGIN_SECRETS: origin lock: a secret has 16 to 256 visible ASCII characters: make one with `openssl rand -hex 32`"},
		{"PAYMENT_LIMIT", "20", `BOOKINGD_PAYMENT_LIMIT: "20": want calls to the provider at once and a second, as in 20,80, or off`},
		{"PAYMENT_LIMIT", "20,0", `BOOKINGD_PAYMENT_LIMIT: "0" is no number of calls from 1 to 10000; write it like 20,80, or off`},
		{"PAYMENT_LIMIT", "1,80", `BOOKINGD_PAYMENT_LIMIT: 1 calls at once: want at least 2, one for payments and one for refunds`},
		{"TELEMETRY_SECRETS", "short", "BOOKINGD_TELEMETRY_SECRETS: a secret has 16 to 256 visible ASCII characters: make one with `openssl rand -hex 32`"},
		{"DRAIN", "5", `BOOKINGD_DRAIN: "5" is no duration up to 10m; write it like 5s`},
	} {
		environ := maps.Clone(good())
		environ["BOOKINGD_"+c.name] = c.value
		conf, err := loadConfig(environ)
		if err == nil {
			err = conf.forServe()
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%s=%q:\n got %v\nwant %s", c.name, c.value, err, c.want)
		}
	}
}

func TestMisspeltVariableIsNoticed(t *testing.T) {
	environ := good()
	environ["BOOKINGD_SWEP"], environ["OTHER_SWEEP"] = "off", "on"
	if got := unknown(environ); len(got) != 1 || got[0] != "BOOKINGD_SWEP" {
		t.Errorf("unknown: %q", got)
	}
}

// What `help` and the README list is what is read: each variable, with its default.
func TestHelpListsEveryVariable(t *testing.T) {
	var out, errOut bytes.Buffer
	if code := run(t.Context(), []string{"help"}, &out, &errOut); code != 0 {
		t.Fatalf("exit %d: %s", code, errOut.String())
	}
	readme, err := os.ReadFile("../../api/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range variables() {
		if !strings.Contains(out.String(), v.name) || (v.fallback != "" && !strings.Contains(out.String(), "("+v.fallback+")")) {
			t.Errorf("help does not list %s with its default %q", v.name, v.fallback)
		}
		row := "| `" + v.name + "` | "
		if v.fallback != "" {
			row += "`" + v.fallback + "` |"
		}
		if !strings.Contains(string(readme), row) {
			t.Errorf("core/api/README.md has no row %q", row)
		}
	}
}

func TestCommandsNotUnderstood(t *testing.T) {
	for _, args := range [][]string{nil, {"serve", "now"}, {"migrate", "up"}} {
		var out, errOut bytes.Buffer
		if code := run(t.Context(), args, &out, &errOut); code != 2 || !strings.HasPrefix(errOut.String(), "usage: bookingd") {
			t.Errorf("%q: exit %d, %q; want 2 and the usage", args, code, errOut.String())
		}
	}
}

// Who forgets an argument is told the form of that command, not sixty lines of others.
func TestAMissingArgumentIsOneLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"import"}, "usage: bookingd import <file>...\n"},
		{[]string{"limit", "bus-7", "1"}, "usage: bookingd limit <event> <counter> <capacity> <overbook> <why>\n"},
		{[]string{"trace", "bus-7"}, "usage: bookingd trace <event> <seat>\n"},
		{[]string{"denied"}, "usage: bookingd denied <event> <counter>\n"},
		{[]string{"ledger", "payout", "bus-7"}, "usage: bookingd ledger payout <event> <amount> <reference>\n"},
		{[]string{"webhook"}, "usage: bookingd webhook list\n       bookingd webhook resend <provider> <id>\n"},
		{[]string{"payments", "off"}, "usage: bookingd payments\n       bookingd payments on|off <provider> -why <text>\n"},
	} {
		var out, errOut bytes.Buffer
		if code := run(t.Context(), c.args, &out, &errOut); code != 2 || errOut.String() != c.want {
			t.Errorf("%q: exit %d\n%swant\n%s", c.args, code, errOut.String(), c.want)
		}
	}
}

func TestAWordThatIsNoCommandIsNamed(t *testing.T) {
	for _, args := range [][]string{{"imprt"}, {"imprt", "hamlet.json"}} {
		var out, errOut bytes.Buffer
		if code := run(t.Context(), args, &out, &errOut); code != 2 || !strings.Contains(errOut.String(), `"imprt"`) || strings.Count(errOut.String(), "\n") != 1 {
			t.Errorf("%q: exit %d, %q; want 2 and one line", args, code, errOut.String())
		}
	}
}

type variable struct{ name, fallback string }

func variables() []variable {
	var all []variable
	for f := range reflect.TypeFor[config]().Fields() {
		if name := f.Tag.Get("env"); name != "" {
			all = append(all, variable{prefix + name, f.Tag.Get("envDefault")})
		}
	}
	return all
}
