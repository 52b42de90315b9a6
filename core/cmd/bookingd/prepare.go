package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/event"
	"github.com/ropeline/ropeline/core/event/eventfile"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pg/migrate"
)

// An import is one large transaction that nobody waits for: its limits are its own.
const (
	importStatement = 2 * time.Minute
	importLock      = 30 * time.Second
)

func migrateUp(ctx context.Context, out io.Writer) error {
	c, err := loadConfig(environment())
	if err != nil {
		return err
	}
	owner, err := c.ownerURL()
	if err != nil {
		return err
	}
	applied, err := migrate.Up(ctx, owner)
	if err != nil {
		return err
	}
	for _, name := range applied {
		fmt.Fprintln(out, "applied", name)
	}
	if len(applied) == 0 {
		fmt.Fprintln(out, "nothing to do: the schema is up to date")
	}
	return nil
}

// importFiles reads every file before it writes any, and writes them in one
// transaction: a bad third file leaves no trace of the first two.
func importFiles(ctx context.Context, names []string, out io.Writer) error {
	if len(names) == 0 {
		return errUsage
	}
	c, err := loadConfig(environment())
	if err != nil {
		return err
	}
	target, err := c.importURL()
	if err != nil {
		return err
	}
	files := make([]*eventfile.File, len(names))
	for i, name := range names {
		if files[i], err = readFile(name); err != nil {
			return err
		}
	}
	db, err := openCurrent(ctx, target, pg.Options{MaxConns: 2, StatementTimeout: importStatement, LockTimeout: importLock, ApplicationName: "bookingd import"})
	if err != nil {
		return err
	}
	defer db.Close()
	var changes []event.Change
	err = db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		changes = nil // the transaction may run again
		if err := event.Act(ctx, tx, importer()); err != nil {
			return err
		}
		for i, file := range files {
			did, err := event.Import(ctx, tx, file)
			if err != nil {
				return named(names[i], inColumns(names[i], err))
			}
			changes = append(changes, did...)
		}
		return booking.Announce(ctx, tx, changes)
	})
	if err != nil {
		return err
	}
	for _, change := range changes {
		fmt.Fprintln(out, change)
	}
	return nil
}

// importer is who the record of changes names.
func importer() string {
	return event.ImportActor + operator()
}

// operator is who typed a command.
func operator() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "somebody"
}

func readFile(name string) (*eventfile.File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	parse := eventfile.Parse
	if isTable(name) {
		parse = eventfile.ParseCSV
	}
	file, err := parse(data)
	return file, named(name, err)
}

// isTable: a table is told by its name, since an empty one looks like nothing.
func isTable(name string) bool { return strings.EqualFold(filepath.Ext(name), ".csv") }

// inColumns: what does not fit the database is found in fields, and a table has columns.
func inColumns(name string, err error) error {
	var fs eventfile.Findings
	if isTable(name) && errors.As(err, &fs) {
		return fs.Columns()
	}
	return err
}

// named puts the file's name before what was found in it.
func named(name string, err error) error {
	var fs eventfile.Findings
	if errors.As(err, &fs) {
		return &fileFindings{name, fs}
	}
	return err
}
