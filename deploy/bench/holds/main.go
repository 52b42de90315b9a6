package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/ropeline/ropeline/deploy/bench/figures"
	"github.com/ropeline/ropeline/deploy/stack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "holds:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := stack.Adopt(); err != nil {
		return err
	}
	b, closeAll, err := open(ctx, o, figures.New(os.Stdout))
	if err != nil {
		return err
	}
	defer closeAll()
	return b.all(ctx)
}

func parse(args []string) (options, error) {
	o := options{only: map[string]bool{}}
	f := flag.NewFlagSet("holds", flag.ContinueOnError)
	f.IntVar(&o.seconds, "seconds", 6, "length of one measurement")
	f.IntVar(&o.runs, "runs", 3, "times each section is measured; the median is printed")
	f.IntVar(&o.inFlight, "in-flight", 1024, "requests the engine has at a time in this process")
	f.IntVar(&o.connections, "connections", 256, "connections to bookingd")
	f.StringVar(&o.profile, "profile", "", "write a CPU profile of this process here")
	f.StringVar(&o.dir, "dir", "", "new directory for the server's data and log, kept afterwards; default: a temporary one")
	o.settings = map[string]string{"max_wal_size": "4GB", "shared_buffers": "512MB"}
	f.Func("set", "a setting of the server, name=value; may be repeated", func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return errors.New("want name=value")
		}
		o.settings[name] = value
		return nil
	})
	clients := f.String("clients", "4,8,16,32", "client counts that the reference tries; the best counts")
	names := make([]string, len(sections))
	for i, s := range sections {
		names[i] = s.name
	}
	only := f.String("only", "", "sections to run, of: "+strings.Join(names, ","))
	if err := f.Parse(args); err != nil {
		return o, err
	}
	for _, word := range split(*clients) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > 150 {
			return o, fmt.Errorf("-clients: %q is no count from 1 to 150", word)
		}
		o.clients = append(o.clients, n)
	}
	for _, word := range split(*only) {
		known := false
		for _, name := range names {
			known = known || name == word
		}
		if !known {
			return o, fmt.Errorf("-only: %q is not one of %s", word, strings.Join(names, ", "))
		}
		o.only[word] = true
	}
	if o.seconds < 1 || o.runs < 1 || o.inFlight < 1 || o.connections < 1 || len(o.clients) == 0 || f.NArg() > 0 {
		return o, fmt.Errorf("want positive numbers and no other words; see -h")
	}
	return o, nil
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
