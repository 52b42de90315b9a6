package stack

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience bounds waiting for the kernel; a test that needs it has failed.
const patience = 20 * time.Second

// asParent makes this test binary play a runner that starts a child and is then killed.
const asParent = "STACK_TEST_PARENT_LOGS"

func TestMain(m *testing.M) {
	if logs := os.Getenv(asParent); logs != "" {
		c, err := Start(logs, shell("orphan", "exec sleep 1000"))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(c.Pid())
		select {}
	}
	os.Exit(m.Run())
}

func shell(name, script string) Spec {
	return Spec{Name: name, Path: "/bin/sh", Args: []string{"-c", script}}
}

func start(t *testing.T, spec Spec) *Child {
	t.Helper()
	c, err := Start(t.TempDir(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Kill)
	return c
}

// says waits until the child has written the word to its log.
func says(t *testing.T, c *Child, word string) {
	t.Helper()
	err := Await(t.Context(), c, func(context.Context) error {
		if text := c.Tail(); !strings.Contains(text, word) {
			return fmt.Errorf("the log says %q", text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// gone waits until no such process exists.
func gone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		// A zombie that nobody has reaped yet runs no more.
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if syscall.Kill(pid, 0) == syscall.ESRCH || err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("process %d still runs", pid)
}

func TestStopLetsAChildFinish(t *testing.T) {
	c := start(t, shell("polite", `trap 'echo goodbye; exit 0' TERM; echo up; while :; do sleep 0.05; done`))
	says(t, c, "up")
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if text := c.Tail(); !strings.Contains(text, "goodbye") {
		t.Errorf("the log says %q, want the child's last word", text)
	}
	if err := c.Failed(); err != nil {
		t.Errorf("a child that was asked to end has failed: %v", err)
	}
}

func TestStopTellsABadEnd(t *testing.T) {
	c := start(t, shell("sick", `trap 'echo cannot flush; exit 3' TERM; echo up; while :; do sleep 0.05; done`))
	says(t, c, "up")
	err := c.Stop()
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "cannot flush") {
		t.Errorf("err = %v, want the exit status and the end of the log", err)
	}
}

func TestAChildThatEndsByItselfHasFailed(t *testing.T) {
	c := start(t, shell("brief", "echo no such table; exit 7"))
	err := Await(t.Context(), c, func(context.Context) error { return fmt.Errorf("not yet") })
	for _, want := range []string{"brief", "exit status 7", "no such table", c.Log()} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want it to say %q", err, want)
		}
	}
}

func TestStopTakesGrandchildrenAlong(t *testing.T) {
	c := start(t, shell("family", `sleep 1000 & echo "child $!"; trap 'exit 0' TERM; echo up; while :; do sleep 0.05; done`))
	says(t, c, "up")
	var pid int
	if _, err := fmt.Sscanf(c.Tail(), "child %d", &pid); err != nil {
		t.Fatal(err)
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	gone(t, pid)
}

func TestAChildDiesWithAKilledParent(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), asParent+"="+filepath.Join(t.TempDir(), "logs"))
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	orphan, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("the parent says %q", line)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	parent.Wait()
	gone(t, orphan)
}

func TestFreePortsDiffer(t *testing.T) {
	ports, err := FreePorts(20)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, p := range ports {
		if seen[p] {
			t.Errorf("port %d was given twice", p)
		}
		seen[p] = true
	}
}

func TestWishedPortsComeBackUnlessTaken(t *testing.T) {
	first, err := WishedPorts(nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", loopback(first[1]))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	again, err := WishedPorts(first, 3)
	if err != nil || again[0] != first[0] || again[1] == first[1] || again[2] != first[2] {
		t.Errorf("%v, %v; want %v but for the second, which is taken", again, err, first)
	}
}

func TestPreferPortYieldsToWhoeverListens(t *testing.T) {
	first, err := PreferPort(0)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := PreferPort(first); err != nil || again != first {
		t.Errorf("a free port: got %d, %v, want %d", again, err, first)
	}
	l, err := net.Listen("tcp", fmt.Sprintf(":%d", first))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if other, err := PreferPort(first); err != nil || other == first {
		t.Errorf("a taken port: got %d, %v, want another", other, err)
	}
}
