package ticket

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	goqr "github.com/piglig/go-qr"
	"pgregory.net/rapid"
)

func signer(t testing.TB, seed byte) *Signer {
	t.Helper()
	return NewSigner(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
}

func TestRoundTrip(t *testing.T) {
	s, other := signer(t, 1), signer(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		c := Claims{
			Event:       rapid.Int64().Draw(t, "event"),
			Ticket:      uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "ticket")),
			HoldVersion: rapid.Int32().Draw(t, "version"),
			Unit:        rapid.Int16().Draw(t, "unit"),
			Label:       rapid.StringN(0, -1, maxLabel).Draw(t, "label"),
		}
		code := s.Sign(c)
		got, err := Verify([]ed25519.PublicKey{other.Public(), s.Public()}, code)
		if err != nil || got != c {
			t.Fatalf("%+v %v, want %+v", got, err, c)
		}
		if code != s.Sign(c) {
			t.Fatal("two codes for one ticket")
		}
	})
}

// TestForgery: no changed character verifies.
func TestForgery(t *testing.T) {
	s := signer(t, 1)
	keys := []ed25519.PublicKey{s.Public()}
	code := s.Sign(Claims{Event: 7, Ticket: uuid.New(), HoldVersion: 3, Label: "Block A, row 3, seat 12"})
	for i := range code {
		for _, c := range "Ab0-" {
			if bad := code[:i] + string(c) + code[i+1:]; bad != code {
				if _, err := Verify(keys, bad); err == nil {
					t.Fatalf("character %d changed to %q still verifies", i, c)
				}
			}
		}
	}
	if _, err := Verify([]ed25519.PublicKey{signer(t, 9).Public()}, code); !errors.Is(err, ErrKey) {
		t.Fatalf("another door's key: %v", err)
	}
	for _, bad := range []string{"", "RL1.", "RL2." + code[4:], code + "A", strings.Repeat("A", 1<<20)} {
		if _, err := Verify(keys, bad); err == nil {
			t.Fatalf("%.20q verifies", bad)
		}
	}
}

func FuzzVerify(f *testing.F) {
	s := signer(f, 1)
	f.Add(s.Sign(Claims{Label: "x"}))
	f.Fuzz(func(t *testing.T, code string) {
		c, err := Verify([]ed25519.PublicKey{s.Public()}, code)
		if err == nil && s.Sign(c) != code {
			t.Fatalf("%q verifies and is not what we sign", code)
		}
	})
}

// TestQR reads the longest code back from the picture.
func TestQR(t *testing.T) {
	code := signer(t, 1).Sign(Claims{Ticket: uuid.New(), Label: strings.Repeat("ä", maxLabel)})
	svg, err := QR(code)
	if err != nil || !bytes.Contains(svg, []byte("<svg")) {
		t.Fatalf("%.80s %v", svg, err)
	}
	q, err := goqr.EncodeText(code, goqr.Medium)
	if err != nil {
		t.Fatal(err)
	}
	b, err := q.ToPNGBytes(goqr.NewQrCodeImgConfig(qrScale, qrBorder))
	if err != nil {
		t.Fatal(err)
	}
	var img image.Image
	if img, err = png.Decode(bytes.NewReader(b)); err != nil {
		t.Fatal(err)
	}
	if got, err := goqr.Decode(img); err != nil || got != code {
		t.Fatalf("read back %q %v", got, err)
	}
}

func TestKeyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ticket.pem")
	if _, err := LoadSigner(file, false); err == nil {
		t.Fatal("a missing key was not reported")
	}
	a, err := LoadSigner(file, true)
	if err != nil {
		t.Fatal(err)
	}
	b, err := LoadSigner(file, true)
	if err != nil || !a.Public().Equal(b.Public()) {
		t.Fatalf("the second start has another key: %v", err)
	}
	if fi, _ := os.Stat(file); fi.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v", fi.Mode())
	}
	var set struct{ Keys []map[string]string }
	if err := json.Unmarshal(a.JWKS(), &set); err != nil || len(set.Keys) != 1 || set.Keys[0]["crv"] != "Ed25519" {
		t.Fatalf("%s %v", a.JWKS(), err)
	}
	if err := os.WriteFile(file, []byte("not a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadSigner(file, true); err == nil || !strings.Contains(err.Error(), file) {
		t.Fatalf("a broken key file: %v", err)
	}
}
