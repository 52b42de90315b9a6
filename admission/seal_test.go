package admission

import (
	"testing"
	"time"
)

func TestSeal(t *testing.T) {
	r := testRing(t)
	text, err := r.Seal([]byte("a=1&b=2"), "room\x00vid", t0)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := r.Unseal(text, "room\x00vid", t0.Add(time.Hour)); err != nil || string(b) != "a=1&b=2" {
		t.Errorf("%q %v", b, err)
	}
	if _, err := r.Unseal(text, "room\x00other", t0); err == nil {
		t.Error("opened for another visitor")
	}
	if _, err := testRing(t).Unseal(text, "room\x00vid", t0); err == nil {
		t.Error("opened with another's keys")
	}
	for i := range text {
		for _, c := range []byte("A_") {
			if text[i] != c {
				if _, err := r.Unseal(text[:i]+string(c)+text[i+1:], "room\x00vid", t0); err == nil {
					t.Fatalf("changed at %d: opened", i)
				}
			}
		}
		if _, err := r.Unseal(text[:i], "room\x00vid", t0); err == nil {
			t.Fatalf("cut at %d: opened", i)
		}
	}
}
