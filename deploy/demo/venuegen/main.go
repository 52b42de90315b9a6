// Command venuegen writes the large files of the demo: a stadium with exactly
// 60,000 numbered seats and a club with 500. They are generated because nobody
// types 60,000 coordinates, and deterministically because the files are kept in
// the repository and a test compares them with this program's output.
//
//	go run ./deploy/demo/venuegen deploy/demo/data
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// files are the generated ones; the others of the directory are written by hand.
var files = map[string]func() []byte{
	"stadium.json": stadiumFile,
	"club.json":    clubFile,
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: venuegen <directory>")
		os.Exit(2)
	}
	for name, generate := range files {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), generate(), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "venuegen:", err)
			os.Exit(1)
		}
	}
}
