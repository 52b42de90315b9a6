package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
)

//go:embed reference/*.sql
var statements embed.FS

// reference is the plain way, run by pgbench in a database of its own.
type reference struct {
	program string
	url     string
	dir     string // of the statement files
	seconds int
	best    map[string]int // clients, by file, once found
}

func newReference(ctx context.Context, url, dir string, seconds int) (*reference, error) {
	program, err := findPgbench()
	if err != nil {
		return nil, err
	}
	r := &reference{program: program, url: url, dir: dir, seconds: seconds, best: map[string]int{}}
	files, err := statements.ReadDir("reference")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := statements.ReadFile("reference/" + f.Name())
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), text, 0o644); err != nil {
			return nil, err
		}
	}
	schema, err := statements.ReadFile("reference/schema.sql")
	if err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("reference database: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, string(schema)); err != nil {
		return nil, fmt.Errorf("schema of the reference: %w", err)
	}
	return r, nil
}

// findPgbench: Debian keeps it beside the server, out of PATH.
func findPgbench() (string, error) {
	if p, err := exec.LookPath("pgbench"); err == nil {
		return p, nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
	if len(found) == 0 {
		return "", fmt.Errorf("pgbench is not installed; on Debian: apt-get install postgresql postgresql-contrib")
	}
	return slices.Max(found), nil
}

var tps = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)

// run measures one file with so many clients: transactions a second.
func (r *reference) run(ctx context.Context, file string, clients int) (float64, error) {
	cmd := exec.CommandContext(ctx, r.program, "-n", "-M", "prepared", "-f", filepath.Join(r.dir, file),
		"-c", strconv.Itoa(clients), "-j", "1", "-T", strconv.Itoa(r.seconds), r.url)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("pgbench %s: %w\n%s", file, err, out)
	}
	m := tps.FindSubmatch(out)
	if m == nil && bytes.Contains(out, []byte("actually processed: 0\n")) {
		return 0, nil // a machine that had other things to do
	}
	if m == nil {
		return 0, fmt.Errorf("pgbench %s printed no tps:\n%s", file, out)
	}
	return strconv.ParseFloat(string(m[1]), 64)
}

// measure runs a file with the client count that was best in the first run, which tries all of them.
func (r *reference) measure(ctx context.Context, file string, counts []int) (best float64, err error) {
	if c, known := r.best[file]; known {
		counts = []int{c}
	}
	for _, c := range counts {
		v, err := r.run(ctx, file, c)
		if err != nil {
			return 0, err
		}
		if v > best {
			best, r.best[file] = v, c
		}
	}
	if best == 0 {
		return 0, fmt.Errorf("pgbench %s committed nothing: the machine is too busy to measure on", file)
	}
	return best, nil
}
