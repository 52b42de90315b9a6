package line

import (
	"strings"
	"testing"
)

const mutationSeeds = 60 // of which every fourth plays scenes

// lateRules are those whose absence the first seeds do not show, with the seed to begin at.
var lateRules = map[string]uint64{"a newer epoch replaces": 230, "accounts are merged": 330, "what a struck edge ended is copied": 160, "slots of a cut-off edge are held": 160}

var everyScript = []*script{&scriptStatus, &scriptReport, &scriptToken, &scriptResume, &scriptCopy, &scriptSettings, &scriptJoin, &scriptReturn,
	&scriptKnock, &scriptThrough, &scriptConfirm, &scriptTouch, &scriptLeave, &scriptTick, &scriptPresence, &scriptRoot, &scriptEntropy, &scriptReveal,
	&scriptRaise, &scriptRecall, &scriptReset, &scriptForget}

// A rule of losing the store that is switched off must be missed by the explorer within its seeds: else it looks away.
func TestExplorerMissesRules(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred seeds for each rule")
	}
	rules := []struct {
		name     string
		in       *script // nil: all that have it
		old, new string
	}{
		{"no index is given at the ceiling", &scriptJoin, "next >= h.ceil", "false"},
		{"next is the ceiling after a loss", &scriptTick, "h.merging ~= BIRTH and not exact and h.ceil > from", "false"},
		{"ceilings are merged by maximum", &scriptReport, "ipairs({'ceil', 'x', 'known', 'queued'})", "ipairs({'x'})"},
		{"X is merged by maximum", &scriptReport, "ipairs({'ceil', 'x', 'known', 'queued'})", "ipairs({'ceil', 'known'})"},
		{"terms are merged by maximum", &scriptReport, "if number('term') > h.term then", "if false then"},
		{"a newer epoch replaces", &scriptReport, "elseif knows and epoch > h.epoch then", "elseif knows and h.epoch == 0 then"},
		{"freed places are free", &scriptReport, "call('BITOP', 'XOR', spent, spent, merge)", ""},
		{"logged places are spent", &scriptReport, "call('BITOP', 'OR', spent, spent, spent_in(t))", ""},
		{"every edge is heard", &scriptTick, "local missing = unheard()", "local missing = ''"},
		{"ended sessions are over", &scriptReport, "if call('ZREM', inside, e[1]) == 1 then emit('leave', e[1]) end", ""},
		{"what a struck edge ended is copied", &scriptCopy, "all = call('ZRANGE', ended, 0, -1)", "all = {}"},
		{"another server process is a loss", nil, "if run_id() ~= h.run", "if false"},
		{"an unknown edge may log nothing", &scriptKnock, "return e and e.active and e.acked >= h.need", "return true"},
		{"slots of a cut-off edge are held", &scriptTick, "held_for(cut, vid, s)", "false"},
		{"nothing is given while merging", &scriptJoin, "if h.merging > 0 then return finish('MERGING') end", ""},
		{"a caller of an older life is fenced", nil, "ARGV[3] ~= int(h.epoch) or ARGV[4] ~= h.gen", "false"},
		{"accounts are merged", &scriptReport, "(h.merging > 0 or late) and accounts or {}", "{}"},
		{"logged leases are inside", &scriptReport, "(h.merging > 0 or late) and leases or {}", "{}"},
	}
	open := openShared(t)
	for _, rule := range rules {
		t.Run(strings.ReplaceAll(rule.name, " ", "_"), func(t *testing.T) {
			all := everyScript
			if rule.in != nil {
				all = []*script{rule.in}
			}
			found := false
			for _, in := range all {
				whole := *in
				text := strings.Replace(whole.text, rule.old, rule.new, 1)
				if text == whole.text {
					continue
				}
				found = true
				*in = newScript(whole.name, text)
				defer func() { *in = whole }()
			}
			if !found {
				t.Fatalf("the rule's text is gone from the script: %s", rule.old)
			}
			seed, broken, _ := exploreSeeds(t, open, lateRules[rule.name], lateRules[rule.name]+mutationSeeds)
			if broken == "" {
				t.Fatal("nothing broke")
			}
			t.Logf("seed %d: %s", seed, broken)
		})
	}
}
