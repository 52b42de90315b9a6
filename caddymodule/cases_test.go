package caddymodule

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// caseIDs are all there are: the numbers leave gaps.
func caseIDs() (ids []string) {
	for _, r := range [][2]int{{1, 14}, {20, 27}, {30, 44}, {50, 66}} {
		for i := r[0]; i <= r[1]; i++ {
			ids = append(ids, fmt.Sprintf("W%02d", i))
		}
	}
	for kind, numbers := range map[string][]int{
		"AT": {1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 23, 24, 25},
		"AH": {1, 3, 4, 7, 8, 9, 11, 12, 15, 16, 17, 19, 20, 21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 33, 35, 36, 37, 38, 40},
		"AQ": {1, 3, 4, 5, 7, 8, 9, 10, 11, 12},
	} {
		for _, n := range numbers {
			ids = append(ids, fmt.Sprint(kind, n))
		}
	}
	return ids
}

// testdata/cases.txt names a test for every case, and every test that it names is there.
func TestEveryCaseHasATest(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{} // of the tests of a package
	source := func(dir string) string {
		if s, ok := sources[dir]; ok {
			return s
		}
		names, _ := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*_test.go"))
		var all strings.Builder
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(b)
		}
		sources[dir] = all.String()
		return sources[dir]
	}
	listed := map[string]int{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		id, rest, _ := strings.Cut(line, " ")
		_, tests, ok := strings.Cut(rest, ": ")
		if !ok {
			t.Errorf("%q: want <id> <meaning>: <package> <Test>, <Test>; <package> ...", line)
			continue
		}
		for _, part := range strings.Split(tests, "; ") {
			dir, names, ok := strings.Cut(part, " ")
			for _, name := range strings.Split(names, ", ") {
				if !ok || !strings.Contains(source(dir), "\nfunc "+name+"(t *testing.T)") {
					t.Errorf("%s: there is no %s in %s", id, name, dir)
					continue
				}
				listed[id]++
			}
		}
	}
	for _, id := range caseIDs() {
		if listed[id] == 0 {
			t.Errorf("%s has no test", id)
		}
		delete(listed, id)
	}
	for id := range listed {
		t.Errorf("%s is not a case", id)
	}
}
