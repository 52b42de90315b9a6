package cluster

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// cure is what a person does about missing binaries.
const cure = "PostgreSQL's server programs are not installed; on Debian: apt-get install postgresql"

// findBinaries finds the newest installed server. Debian keeps them out of PATH.
func findBinaries() (dir string, err error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	slices.SortFunc(found, func(a, b string) int { return majorOf(b) - majorOf(a) })
	if p, err := exec.LookPath("postgres"); err == nil {
		if p, err = filepath.EvalSymlinks(p); err == nil {
			found = append(found, p)
		}
	}
	for _, p := range found {
		if _, err := os.Stat(filepath.Join(filepath.Dir(p), "initdb")); err == nil {
			return filepath.Dir(p), nil
		}
	}
	return "", fmt.Errorf("%s", cure)
}

func majorOf(p string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(p))))
	return n
}

// account the server runs as. nil credential: the present user.
type account struct {
	cred *syscall.Credential
	name string
}

func serverUser() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return account{}, fmt.Errorf("PostgreSQL does not run as root and there is no user postgres: %s", cure)
	}
	uid, _ := strconv.ParseUint(u.Uid, 10, 32)
	gid, _ := strconv.ParseUint(u.Gid, 10, 32)
	return account{cred: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, name: u.Username}, nil
}

// prepareDir makes the directory and gives it to the server's user.
func (c *Cluster) prepareDir(who account) error {
	var err error
	if c.temp {
		if c.dir, err = os.MkdirTemp("", "ropeline-pg-"); err != nil {
			return fmt.Errorf("directory for a private PostgreSQL: %w", err)
		}
	}
	if c.dir, err = filepath.Abs(c.dir); err != nil {
		return fmt.Errorf("directory for a private PostgreSQL: %w", err)
	}
	if len(c.socketDir()) > maxSocket {
		return fmt.Errorf("%s is too long for a unix socket (%d bytes, at most %d): choose a shorter directory", c.socketDir(), len(c.socketDir()), maxSocket)
	}
	for _, d := range []string{c.dir, c.socketDir()} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return fmt.Errorf("directory for a private PostgreSQL: %w", err)
		}
		if who.cred != nil {
			if err := os.Chown(d, int(who.cred.Uid), int(who.cred.Gid)); err != nil {
				return fmt.Errorf("give %s to user %s: %w", d, who.name, err)
			}
		}
	}
	if who.cred != nil {
		if d := Unreachable(c.dir); d != "" {
			return fmt.Errorf("user %s cannot enter %s, so PostgreSQL cannot keep its data in %s: choose a directory below /var/tmp", who.name, d, c.dir)
		}
	}
	return nil
}

// Unreachable names the first directory above dir which other users may not
// enter (a checkout in /root), "" if there is none. As root the server runs as
// another user, so such a directory cannot hold its data.
func Unreachable(dir string) string {
	if os.Geteuid() != 0 {
		return ""
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for p := filepath.Dir(dir); ; p = filepath.Dir(p) {
		if st, err := os.Stat(p); err == nil && st.Mode().Perm()&0o001 == 0 {
			return p
		}
		if p == filepath.Dir(p) {
			return ""
		}
	}
}

func (c *Cluster) initdb(ctx context.Context, bin string, who account, o Options) error {
	if _, err := os.Stat(filepath.Join(c.dataDir(), "PG_VERSION")); err == nil {
		return nil
	}
	args := []string{"-D", c.dataDir(), "-U", owner, "-A", "trust", "-E", "UTF8", "--locale=C"}
	if o.Throwaway {
		args = append(args, "--no-sync")
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), args...)
	cmd.Dir = c.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who.cred}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

// watch runs the server and stops it when standard input ends; $1 is the signal
// that stops it, $2 a directory to remove afterwards or "". A background command of
// a shell reads /dev/null, hence the copy of standard input as descriptor 3.
const watch = `stop=$1 remove=$2; shift 2; exec 3<&0
"$@" </dev/null 3<&- & pid=$!
( cat <&3 >/dev/null; kill -"$stop" $pid 2>/dev/null ) &
wait $pid; code=$?
[ -z "$remove" ] || rm -rf "$remove"
exit $code`

func (c *Cluster) launch(bin string, who account, o Options) error {
	log, err := os.OpenFile(c.logFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("log of the private PostgreSQL: %w", err)
	}
	defer log.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("pipe to the private PostgreSQL: %w", err)
	}
	defer r.Close()
	stop, remove := "INT", "" // INT: fast shutdown, with a checkpoint
	if o.Throwaway {
		stop = "QUIT" // immediate: nobody will read it again
	}
	if c.temp {
		remove = c.dir
	}
	args := append([]string{"-c", watch, "sh", stop, remove, filepath.Join(bin, "postgres"), "-D", c.dataDir(), "-k", c.socketDir(), "-p", port}, settings(o)...)
	c.cmd = exec.Command("/bin/sh", args...)
	c.cmd.Dir = c.dir
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = r, log, log
	// An own process group: Ctrl-C at the starter must not stop the database before
	// the starter has stopped what uses it.
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who.cred, Setpgid: true}
	if err := c.cmd.Start(); err != nil {
		_ = w.Close()
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	c.hold = w
	go func() {
		_ = c.cmd.Wait()
		close(c.exited)
	}()
	return nil
}

func settings(o Options) []string {
	set := map[string]string{
		"listen_addresses": "",
		"max_connections":  "100",
		"shared_buffers":   "256MB",
		"max_wal_size":     "2GB",
		"log_checkpoints":  "off",
		"timezone":         "UTC",
	}
	if o.MaxConns > 0 {
		set["max_connections"] = strconv.Itoa(o.MaxConns)
	}
	if o.Throwaway {
		set["fsync"], set["full_page_writes"], set["synchronous_commit"] = "off", "off", "off"
	}
	maps.Copy(set, o.Settings)
	var args []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		args = append(args, "-c", name+"="+set[name])
	}
	return args
}

// tail is the end of a log, for an error message.
func tail(path string) string {
	const lines = 12
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
