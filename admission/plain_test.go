package admission

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
)

// What we write is read in the short way, and reads the same in the general one.
func TestPlainReadsWhatWeWrite(t *testing.T) {
	place, n := int64(0), int64(7)
	for _, c := range []any{
		&header{AlgEdDSA, "pass-abc", passTyp},
		&ticketClaims{Iss: issuer, Aud: "main", Sub: "v", Kind: ticketKind, Epoch: 3, Index: -1, Iat: 1_796_000_000},
		&ticketClaims{Iss: issuer, Aud: "main", Sub: "v", Kind: ticketKind, Epoch: 3, Index: 5, IDH: "hash", Iat: 1, Place: &place, N: &n},
		&passClaims{Iss: issuer, Aud: "main", Sub: "v", Epoch: 1, Term: 2, Place: 3, Iat: 4, Nbf: 5, Exp: 6, Hard: 7},
	} {
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		short := reflect.New(reflect.TypeOf(c).Elem()).Interface()
		if !short.(plainReader).readPlain(text) || !reflect.DeepEqual(short, c) {
			t.Errorf("%s was read as %+v", text, short)
		}
		agree(t, text, c)
	}
}

// Whatever is changed in it: what the short way takes, the general one takes alike.
func TestPlainIsNeverMoreGenerous(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	const odd = `"\\{}[]:, +-.0e1x` + "\x00\n\xff"
	for range 50_000 {
		var c any = &ticketClaims{Iss: issuer, Aud: "main", Sub: "v", Kind: ticketKind, Epoch: r.Int64N(10), Index: r.Int64N(1 << 40), Iat: r.Int64()}
		if r.IntN(2) == 0 {
			c = &passClaims{Iss: issuer, Aud: "main", Sub: "v", Epoch: r.Int64N(10), Term: 1, Exp: r.Int64()}
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + r.IntN(3) {
			at := r.IntN(len(text))
			switch r.IntN(3) {
			case 0:
				text[at] = odd[r.IntN(len(odd))]
			case 1:
				text = append(text[:at], text[at+1:]...)
			default:
				text = append(text[:at], append([]byte{odd[r.IntN(len(odd))]}, text[at:]...)...)
			}
		}
		agree(t, text, c)
	}
}

// agree reads text in both ways into what c is.
func agree(t *testing.T, text []byte, c any) {
	t.Helper()
	short, full := reflect.New(reflect.TypeOf(c).Elem()).Interface(), reflect.New(reflect.TypeOf(c).Elem()).Interface()
	if !short.(plainReader).readPlain(text) {
		if !reflect.ValueOf(short).Elem().IsZero() {
			t.Fatalf("%q was not taken and left %+v", text, short)
		}
		return
	}
	if err := decodeJSON(text, full); err != nil || !reflect.DeepEqual(short, full) {
		t.Fatalf("%q: %+v by the short way, %+v (%v) by the general one", text, short, full, err)
	}
}
