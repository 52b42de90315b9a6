package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/ropeline/ropeline/loadtest/event"
)

// logFlags are those of every command that reads a decision log.
func logFlags(f *flag.FlagSet) func() event.Log {
	files := f.String("log", "", "decision log of the edge that led; several with commas, in the order of time")
	room := f.String("room", "", "room, if the log speaks of several")
	epoch := f.Int64("epoch", 0, "epoch of the line, if it was begun anew in this log")
	return func() event.Log { return event.Log{Files: strings.Split(*files, ","), Room: *room, Epoch: *epoch} }
}

// reportCommand says after an event what it was.
func reportCommand(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	log := logFlags(flags)
	page := flags.String("html", "", "file for the same as one page with charts")
	if err := parse(flags, args); err != nil {
		return err
	}
	past, err := log().Past()
	if err != nil {
		return err
	}
	if err := event.Tell(os.Stdout, past); err != nil {
		return err
	}
	return writePage(*page, "The event", event.Report(past))
}

// writePage writes charts if a file was asked for.
func writePage(path, title string, content event.Content) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	err = event.Page(f, title, content)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("--html %s: %w", path, err)
	}
	return nil
}
