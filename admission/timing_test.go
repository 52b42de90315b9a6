package admission

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// AT24: the MAC of a ticket is compared in constant time. What decides is the code that compares, in the library that
// we use; how long it takes is measured as well, to be looked at and not judged, since this machine has other work.
func TestMACsAreComparedInConstantTime(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/golang-jwt/jwt/v5").Output()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(out)), "hmac.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constant := false
	ast.Inspect(f, func(n ast.Node) bool {
		if fn, ok := n.(*ast.FuncDecl); ok && fn.Name.Name == "Verify" {
			ast.Inspect(fn, func(n ast.Node) bool {
				if c, ok := n.(*ast.SelectorExpr); ok {
					x, _ := c.X.(*ast.Ident)
					constant = constant || x != nil && x.Name == "hmac" && c.Sel.Name == "Equal"
				}
				return true
			})
		}
		return true
	})
	if !constant {
		t.Fatal("the library does not compare by hmac.Equal")
	}

	r := testRing(t)
	good, _ := r.SignTicket(Ticket{Room: "a", VID: NewVID(), Index: 5, IssuedAt: t0})
	at := strings.LastIndex(good, ".") + 1
	mac, _ := strict64.DecodeString(good[at:])
	wrong := func(i int) string { // good up to byte i
		m := append([]byte(nil), mac...)
		m[i] ^= 1
		return good[:at] + strict64.EncodeToString(m)
	}
	early, late := wrong(0), wrong(len(mac)-1)
	const n = 20_000 // of a million: it is the code above that is judged
	var sum, square [2]float64
	for range n {
		for i, s := range []string{early, late} {
			begin := time.Now()
			if _, err := r.VerifyTicket(s, "a", t0); err == nil {
				t.Fatal("accepted")
			}
			d := min(float64(time.Since(begin)), 1e5)
			sum[i] += d
			square[i] += d * d
		}
	}
	variance := func(i int) float64 { return square[i]/n - sum[i]/n*sum[i]/n }
	t.Logf("Welch's t of the first byte against the last: %.2f", (sum[0]-sum[1])/n/math.Sqrt((variance(0)+variance(1))/n))
}
