package main

import (
	"strings"
	"testing"
)

func TestTuningSeedsNeverJudge(t *testing.T) {
	if _, err := parse([]string{"-seeds", "7001, 3"}); err == nil || !strings.Contains(err.Error(), "tuning") {
		t.Errorf("a seed that was tuned on is taken: %v", err)
	}
	o, err := parse([]string{"-seeds", "7001,7002", "-only", "flash", "-against", "few"})
	if err != nil || len(o.seeds) != 2 || len(o.stories) != 1 || len(o.who) != 2 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestWrongWordsNameTheirCure(t *testing.T) {
	for _, c := range []struct{ args, cure string }{
		{"-seeds=one", "whole numbers"},
		{"-only=flood", "half_lost"},
		{"-against=some", "all or few"},
	} {
		if _, err := parse([]string{c.args}); err == nil || !strings.Contains(err.Error(), c.cure) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
}

func TestReportEndsWithTheFigures(t *testing.T) {
	o, err := parse([]string{"-seeds", "7001", "-only", "flash", "-against", "few"})
	if err != nil {
		t.Fatal(err)
	}
	o.stories[0].Seconds = 300
	var b strings.Builder
	report(&b, o)
	for _, want := range []string{"BENCH admission.flash.work", "BENCH admission.calm.work", "BENCH admission.next_allocs 0 goal=0"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q:\n%s", want, b.String())
		}
	}
}
