package debian

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// policyFile is Debian's own switch against starting services at installation: we want the programs, not a database on
// port 5432 and a Redis on 6379 that nobody asked for.
const policyFile = "/usr/sbin/policy-rc.d"

// lastLines is how much of apt's output an error shows.
const lastLines = 12

// Ensure makes the parts available, writing progress to w. When it cannot, the error is one line that says what to install.
func Ensure(w io.Writer, parts ...Part) error {
	missing := Missing(parts)
	if len(missing) == 0 {
		return nil
	}
	if !canInstall() {
		return errors.New(Advice(missing))
	}
	var packages []string
	for _, p := range missing {
		packages = append(packages, p.Package)
	}
	fmt.Fprintf(w, "installing Debian packages: %s\n", strings.Join(packages, " "))
	if err := install(w, packages); err != nil {
		return err
	}
	if still := Missing(missing); len(still) > 0 {
		return fmt.Errorf("installed, but %s is still not found: is it in PATH?", still[0].Program)
	}
	return nil
}

// Advice is the one line for a system on which nothing can be installed from here.
func Advice(missing []Part) string {
	var elsewhere, packages []string
	for _, p := range missing {
		elsewhere = append(elsewhere, p.Elsewhere)
		packages = append(packages, p.Package)
	}
	return fmt.Sprintf("missing: %s. Install it (on Debian: sudo apt-get install %s) and run the command again",
		strings.Join(elsewhere, ", "), strings.Join(packages, " "))
}

func canInstall() bool {
	if os.Geteuid() != 0 {
		return false
	}
	if _, err := os.Stat("/etc/debian_version"); err != nil {
		return false
	}
	_, err := exec.LookPath("apt-get")
	return err == nil
}

// install tries with the package lists at hand and fetches new ones only when that fails: `apt-get update` takes longer
// than the installation, but on a new machine the lists are empty or too old.
func install(w io.Writer, packages []string) error {
	undo, err := keepServicesDown()
	if err != nil {
		return err
	}
	defer undo()
	args := append([]string{"install", "-y", "--no-install-recommends"}, packages...)
	if apt(w, args...) == nil {
		return nil
	}
	fmt.Fprintln(w, "  fetching the package lists first")
	if err := apt(w, "update"); err != nil {
		return err
	}
	return apt(w, args...)
}

// keepServicesDown writes policyFile unless the machine has one already, and returns what takes it away again.
func keepServicesDown() (undo func(), err error) {
	f, err := os.OpenFile(policyFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if errors.Is(err, os.ErrExist) {
		return func() {}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("keep the new services from starting: %w", err)
	}
	_, werr := io.WriteString(f, "#!/bin/sh\nexit 101\n")
	if err := errors.Join(werr, f.Close()); err != nil {
		os.Remove(policyFile)
		return nil, fmt.Errorf("keep the new services from starting: %w", err)
	}
	return func() { os.Remove(policyFile) }, nil
}

// apt runs apt-get, shows the lines that say what it is doing, and keeps the last ones for the error.
func apt(w io.Writer, args ...string) error {
	cmd := exec.Command("apt-get", args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("apt-get: %w", err)
	}
	var tail []string
	for s := bufio.NewScanner(out); s.Scan(); {
		line := s.Text()
		if worthShowing(line) {
			fmt.Fprintf(w, "  %s\n", line)
		}
		if tail = append(tail, line); len(tail) > lastLines {
			tail = tail[1:]
		}
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("apt-get %s: %w\n%s", args[0], err, strings.Join(tail, "\n"))
	}
	return nil
}

func worthShowing(line string) bool {
	for _, prefix := range []string{"Need to get", "Fetched", "Get:", "Setting up"} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}
