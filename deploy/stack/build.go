package stack

import (
	"context"

	"github.com/ropeline/ropeline/deploy/compile"
)

// Programs are the commands of the repository that a stack is made of.
var Programs = []string{"./caddymodule/cmd/ropeline", "./core/cmd/bookingd", "./core/cmd/fakepay", "./loadtest/cmd/loadtest"}

// Build compiles programs of the repository at root into bin.
func Build(ctx context.Context, p Progress, root, bin string, programs ...string) error {
	return compile.Build(ctx, p.W, root, bin, programs...)
}
