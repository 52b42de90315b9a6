package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/ropeline/ropeline/loadtest/record"
)

func recordCommand(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("record", flag.ContinueOnError)
	listen := flags.String("listen", "127.0.0.1:0", "address to listen on; port 0 picks a free one and prints it")
	to := flags.String("to", "", "address of the origin, e.g. http://127.0.0.1:9000")
	file := flags.String("file", "record.jsonl", "file for the requests")
	if err := parse(flags, args); err != nil {
		return err
	}
	if *to == "" {
		return errors.New("--to is missing: the address of the origin, e.g. http://127.0.0.1:9000")
	}
	s, err := record.Start(*listen, *to, *file)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", s.Addr())
	<-ctx.Done()
	return s.Stop()
}
