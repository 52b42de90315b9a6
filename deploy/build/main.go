// Command build compiles the named programs of the repository into .run/bin and shows how far it is:
//
//	go run ./deploy/build ./caddymodule/cmd/ropeline ./deploy/demo
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/ropeline/ropeline/deploy/compile"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Standard error: what `make` prints on standard output is a program's own.
	if err := compile.Build(ctx, os.Stderr, ".", filepath.Join(".run", "bin"), os.Args[1:]...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
