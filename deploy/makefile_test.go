package deploy

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// LOCAL=1 promises that nobody else reaches the demo: flags of one's own beside it must not undo that.
func TestDemoStaysWhereItIsTold(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, ""},
		{[]string{"LOCAL=1", "PORT=18790"}, "--port 18790 --local"},
		{[]string{"LOCAL=1", "PORT=18790", "DEMO_FLAGS=--crowd=false"}, "--port 18790 --local --crowd=false"},
	} {
		cmd := exec.CommandContext(t.Context(), "make", append([]string{"-n", "demo"}, c.args...)...)
		cmd.Dir = root(t)
		// As a person runs it, also when this test is run by make itself.
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS=") })
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("make -n demo %v: %v\n%s", c.args, err, out)
		}
		_, flags, found := strings.Cut(string(out), "exec .run/bin/demo")
		if got := strings.Join(strings.Fields(flags), " "); !found || got != c.want {
			t.Errorf("make demo %v runs the demo with %q, want %q", c.args, got, c.want)
		}
	}
}
