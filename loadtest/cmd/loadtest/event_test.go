package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// printed runs a command and gives what it wrote to standard output.
func printed(t *testing.T, command ...string) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stdout
	os.Stdout = w
	out := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, r)
		out <- b.String()
	}()
	err = run(t.Context(), command)
	os.Stdout = was
	w.Close()
	text := <-out
	if err != nil {
		t.Fatalf("loadtest %s: %v\n%s", strings.Join(command, " "), err, text)
	}
	return text
}

// cells are the columns of one line of a table.
func cells(t *testing.T, table, name string) []string {
	t.Helper()
	for line := range strings.Lines(table) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), name); ok {
			return regexp.MustCompile(`\s{2,}`).Split(strings.TrimSpace(rest), -1)
		}
	}
	t.Fatalf("no line %q in\n%s", name, table)
	return nil
}

// secondsOf reads "1 h 02 min" and "3 min 04 s".
func secondsOf(t *testing.T, text string) (sum float64) {
	t.Helper()
	f := strings.Fields(text)
	for i := 0; i+1 < len(f); i += 2 {
		v, err := strconv.ParseFloat(f[i], 64)
		if err != nil {
			t.Fatalf("%q is no time", text)
		}
		sum += v * map[string]float64{"h": 3600, "min": 60, "s": 1}[f[i+1]]
	}
	return sum
}

// What changes in the question changes in the answer, in the direction that it has to.
func TestWhatIfAnswers(t *testing.T) {
	base := printed(t, "what-if", "--people", "12000")
	after := func(table string) float64 { return secondsOf(t, cells(t, table, "line empty after")[0]) }
	calm := after(base)
	if calm < 200 || calm > 900 {
		t.Errorf("12,000 people take %v s", calm)
	}
	for _, c := range []struct {
		args        []string
		least, most float64 // times the calm one
	}{
		{[]string{"--people", "24000"}, 1.5, 2.5},
		{[]string{"--people", "12000", "--capacity", "0.5"}, 1.5, 3},
		{[]string{"--people", "12000", "--servers", "60"}, 0.3, 0.8},
		{[]string{"--people", "12000", "--no-show", "50%"}, 0.4, 0.9},
		{[]string{"--people", "12000", "--payment", "12s"}, 1.8, 8},
		{[]string{"--people", "12000", "--set", "ceiling=10"}, 2, 8},
		{[]string{"--people", "12000", "--over", "20m"}, 1200 / calm, 1500 / calm},
	} {
		table := printed(t, append([]string{"what-if"}, c.args...)...)
		if got := after(table) / calm; got < c.least || got > c.most {
			t.Errorf("what-if %v: %.2f times as long, want %.2f to %.2f\n%s", c.args, got, c.least, c.most, table)
		}
	}
	slow := printed(t, "what-if", "--people", "12000", "--payment", "12s")
	if c := cells(t, slow, "payment"); secondsOf(t, strings.Fields(c[0])[0]+" min") < 300 {
		t.Errorf("payment decided for %s\n%s", c[0], slow)
	}
	sold := printed(t, "what-if", "--people", "12000", "--seats", "1500")
	if c := cells(t, sold, "seats sold"); c[0] != "1,500" || cells(t, sold, "sold out after")[0] == "not" {
		t.Errorf("1,500 seats:\n%s", sold)
	}
}

// From one event to the next: an event is written as the log it would leave, told about, played again and asked about.
func TestALogIsToldReplayedAndAskedAbout(t *testing.T) {
	dir := t.TempDir()
	log, html := filepath.Join(dir, "decisions.jsonl"), filepath.Join(dir, "report.html")
	printed(t, "what-if", "--people", "12000", "--seats", "9000", "--payment", "6s", "--write-log", log)
	told := printed(t, "report", "--log", log, "--html", html)
	for _, want := range []string{"12,000 people stood in line and 12,000 were let go", "of 9,000 seats were sold", "payment      decided for", "No operator intervened."} {
		if !strings.Contains(told, want) {
			t.Errorf("the report lacks %q:\n%s", want, told)
		}
	}
	page, err := os.ReadFile(html)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>The event</title>", "12,000 people stood in line", `<path class="l0"`, "<title>payment</title>"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, no := range []string{"<script", "http://", "https://"} {
		if strings.Contains(string(page), no) {
			t.Errorf("the page has %q", no)
		}
	}
	table := printed(t, "replay", "--log", log, "--set", "ceiling=9")
	empty := cells(t, table, "line empty after")
	was, again, held := secondsOf(t, empty[0]), secondsOf(t, empty[1]), secondsOf(t, empty[2])
	if again < 0.9*was || again > 1.1*was || held < 1.2*was {
		t.Errorf("as it was %v s, replayed %v s, under a ceiling %v s\n%s", was, again, held, table)
	}
	fast := printed(t, "what-if", "--log", log, "--payment", "1200ms")
	if c := cells(t, fast, "line empty after"); secondsOf(t, c[1]) > 0.8*secondsOf(t, c[0]) {
		t.Errorf("with quick payments:\n%s", fast)
	}
}

func TestEventCommandsNameTheCure(t *testing.T) {
	dir := t.TempDir()
	empty, other := filepath.Join(dir, "empty"), filepath.Join(dir, "other")
	for path, text := range map[string]string{empty: "", other: "{\"level\":\"info\"}\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log := filepath.Join(dir, "log")
	printed(t, "what-if", "--people", "500", "--write-log", log)
	for command, want := range map[string]string{
		"report":                                  "--log is missing",
		"replay --log " + dir + "/none":           "no such file",
		"report --log " + empty:                   "no decision in it",
		"report --log " + other:                   "other:1: not a decision",
		"report --log " + log + " --room x":       "the log speaks of room what-if",
		"report --log " + log + " --epoch 7":      "epochs [1]",
		"report --log " + log + " --html /none/x": "--html",
		"replay --log " + log + " --set speed=1":  "--set: setting \"speed=1\"",
		"what-if --no-show 120%":                  "15%",
		"what-if --capacity 0":                    "--capacity 0: write a factor",
		"what-if --people -1":                     "--people -1",
		"what-if --write-log /none/x":             "--write-log",
		"report extra":                            "takes no argument",
	} {
		if err := run(t.Context(), strings.Fields(command)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("loadtest %s: %v, want %q", command, err, want)
		}
	}
}
