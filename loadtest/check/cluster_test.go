package check

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"go.uber.org/goleak"
)

// The tests of the checks own a PostgreSQL: a cluster in a temporary directory,
// reached by a socket in it, so that no port is taken. Each test gets a database
// of its own, copied from a migrated one. core/pgtest would do the same and is
// not used: the judge shares no code with the judged.

const template = "migrated"

var cluster struct {
	dir  string
	next atomic.Int32
}

func TestMain(m *testing.M) {
	runtime.LockOSThread() // the server dies with the thread that started it (Pdeathsig): let that be one that stays
	stop, err := startCluster()
	if err != nil {
		fmt.Fprintln(os.Stderr, "loadtest/check needs PostgreSQL 15 or newer (apt-get install postgresql):", err)
		os.Exit(1)
	}
	code := m.Run()
	stop()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func startCluster() (stop func(), err error) {
	bin, err := postgresBin()
	if err != nil {
		return nil, err
	}
	who, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "check-pg")
	if err != nil {
		return nil, err
	}
	if who != nil {
		if err := os.Chown(dir, int(who.Uid), int(who.Gid)); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(dir, "data")
	initdb := command(who, filepath.Join(bin, "initdb"), "-D", data, "-U", "owner", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	server := command(who, filepath.Join(bin, "postgres"), "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "shared_buffers=16MB")
	var said bytes.Buffer
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = server.Process.Signal(syscall.SIGQUIT) // immediate: nothing in it is kept
		_ = server.Wait()
		_ = os.RemoveAll(dir)
	}
	cluster.dir = dir
	if err := migrateTemplate(); err != nil {
		stop()
		return nil, fmt.Errorf("%w\n%s", err, said.String())
	}
	return stop, nil
}

func postgresBin() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", fmt.Errorf("no initdb in PATH nor below /usr/lib/postgresql")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// unprivileged is whom to run as: PostgreSQL refuses root.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ := strconv.Atoi(u.Uid)
			gid, _ := strconv.Atoi(u.Gid)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, fmt.Errorf("running as root, and neither user postgres nor nobody exists to start it as")
}

func command(who *syscall.Credential, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who, Pdeathsig: syscall.SIGQUIT}
	return cmd
}

func address(database string) string {
	return fmt.Sprintf("host=%s user=owner dbname=%s pool_max_conns=4", cluster.dir, database)
}

func migrateTemplate() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	admin, err := pgxpool.New(ctx, address("postgres"))
	if err != nil {
		return err
	}
	defer admin.Close()
	for admin.Ping(ctx) != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("the server did not start: %w", ctx.Err())
		}
		time.Sleep(10 * time.Millisecond) // a retry of a connection, bounded by ctx
	}
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+template); err != nil {
		return err
	}
	db, err := sql.Open("pgx", strings.Replace(address(template), "pool_max_conns=4", "", 1))
	if err != nil {
		return err
	}
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("../../migrations"))
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

// database gives a migrated database to one test.
func database(t *testing.T) *pgxpool.Pool {
	t.Helper()
	ctx := t.Context()
	name := fmt.Sprintf("t%d", cluster.next.Add(1))
	admin, err := pgxpool.New(ctx, address("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(ctx, address(name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// run executes statements of a test's story.
func run(t *testing.T, db *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := db.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}
