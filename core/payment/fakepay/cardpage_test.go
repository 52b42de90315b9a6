package fakepay

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestCardPage(t *testing.T) {
	c, at := start(t, Options{ReturnHosts: []string{"shop.example"}})
	form := at + strings.TrimPrefix(c.CardForm("1-a", 4200, "EUR"), "/fakepay") + "&return=" + url.QueryEscape("/checkout?order=1")
	res, err := http.Get(form)
	if err != nil {
		t.Fatal(err)
	}
	page, _ := io.ReadAll(res.Body)
	res.Body.Close()
	for _, want := range []string{"42.00", "EUR", "4242 4242 4242 4242", `lang="en"`, `<label for="number">`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	hc := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for number, want := range map[string]string{
		"4242424242424242": TokenOK, "4000 0000 0000 0002": TokenDeclined, "4000-0000-0000-9995": TokenInsufficient,
		"4000000000003220": TokenSlow, "4000000000000341": TokenLost,
	} {
		res, err := hc.PostForm(form, url.Values{"number": {number}})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if got := res.Header.Get("Location"); res.StatusCode != http.StatusSeeOther || got != "/checkout?card_token="+want+"&order=1" {
			t.Errorf("%s: %d to %q", number, res.StatusCode, got)
		}
	}
	res, err = hc.PostForm(form, url.Values{"number": {"4111 1111 1111 1111"}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if to := res.Header.Get("Location"); res.StatusCode != http.StatusSeeOther || strings.Contains(to, "4111") || !strings.HasPrefix(to, "?") {
		t.Errorf("a card that is no test card: %d to %q; want a redirect to the form, without the number", res.StatusCode, to)
	} else if page := pageAt(t, at+"/card"+to); !strings.Contains(page, "not one of the test cards") || !strings.Contains(page, `id="number"`) {
		t.Errorf("the form after a wrong card: %s", page)
	}
	for _, bad := range []string{"javascript:alert(1)", "//evil.example/x", "relative", "",
		"https://evil.example/x", "https:evil.example", "///evil.example", `/\evil.example`, `\\evil.example`, "http://shop.example@evil.example/",
		"http://x@shop.example/", "http://shop.example.evil/", "http://shop.example:81/", "/\t/evil.example", "http:///evil.example", "//"} {
		res, err := hc.Get(at + "/card?amount=1&currency=EUR&return=" + url.QueryEscape(bad))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("return=%q: %d", bad, res.StatusCode)
		}
		res, err = hc.PostForm(at+"/card?amount=1&currency=EUR&return="+url.QueryEscape(bad), url.Values{"number": {"4242424242424242"}})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusBadRequest || res.Header.Get("Location") != "" {
			t.Errorf("posted, return=%q: %d to %q", bad, res.StatusCode, res.Header.Get("Location"))
		}
	}
	for _, good := range []string{"/", "/orders/1", at + "/checkout/1-a", "https://shop.example/checkout"} {
		res, err := hc.PostForm(at+"/card?amount=1&currency=EUR&return="+url.QueryEscape(good), url.Values{"number": {"4242424242424242"}})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if got := res.Header.Get("Location"); got != good+"?card_token="+TokenOK {
			t.Errorf("return=%q: %d to %q", good, res.StatusCode, got)
		}
	}
}

func pageAt(t *testing.T, address string) string {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("status %d, cache %q, %v", res.StatusCode, res.Header.Get("Cache-Control"), err)
	}
	return string(page)
}

// Back after paying must not show a form that seems to take the money again; after a declined card the shop opens another.
func TestAFormIsSentOnce(t *testing.T) {
	c, at := start(t, Options{})
	open := func(form string) string {
		return at + strings.TrimPrefix(c.CardForm("1-a", 4200, "EUR"), "/fakepay") + "&return=/checkout&form=" + form
	}
	hc := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for i, want := range []string{"/checkout?card_token=" + TokenDeclined, "/checkout"} {
		res, err := hc.PostForm(open("a"), url.Values{"number": {"4000 0000 0000 0002"}})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if got := res.Header.Get("Location"); got != want {
			t.Errorf("time %d: to %q, want %q", i+1, got, want)
		}
	}
	if page := pageAt(t, open("a")); !strings.Contains(page, "This form was sent") || strings.Contains(page, "<form") || !strings.Contains(page, `href="/checkout"`) {
		t.Errorf("a form that was sent is open again: %s", page)
	}
	if page := pageAt(t, open("b")); !strings.Contains(page, `id="number"`) {
		t.Errorf("the next form of the payment is not open: %s", page)
	}
}
