// Command need makes sure that the named parts of the system are there, installing Debian packages when it may:
//
//	go run ./deploy/need postgresql redis chromium python3
package main

import (
	"fmt"
	"os"

	"github.com/ropeline/ropeline/deploy/debian"
)

func main() {
	parts, err := debian.ByName(os.Args[1:]...)
	if err == nil {
		err = debian.Ensure(os.Stdout, parts...)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
