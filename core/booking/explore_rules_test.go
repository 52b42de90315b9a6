package booking

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ruleOff is a rule of the tables and how it is switched off: a text of the source and
// what stands there instead, where off("...") is true while this rule is switched off.
type ruleOff struct {
	name, file, old, new string
}

// Every rule that the tables need, as the code has it. The walk of the explorer must miss
// each: a rule whose absence nobody notices is none, or the explorer looks away.
var rulesOff = []ruleOff{
	{"the decision is taken once", "booking/evidence.go", "case a.Want == payment.Undecided:", `case a.Want == payment.Undecided || off("the decision is taken once"):`},
	{"created is sent only for somebody", "payment/resolve.go", "return w.ForThis && w.HoldAlive && w.OnSale",
		`return w.ForThis && w.HoldAlive && w.OnSale || off("created is sent only for somebody")`},
	{"what was never sent is abandoned with its order", "booking/order_dossier.go", "if a.Phase == payment.Created {",
		`if a.Phase == payment.Created && !off("what was never sent is abandoned with its order") {`},
	{"an old sent becomes unknown", "booking/resolve.go", "case do == payment.DoAsk && a.Phase == payment.Sent:",
		`case do == payment.DoAsk && a.Phase == payment.Sent && off("an old sent becomes unknown"): return payment.DoSend, nil
	case do == payment.DoAsk && a.Phase == payment.Sent:`},
	{"a request is repeated only with keys", "payment/resolve.go", "return c.Keys && (", `return (c.Keys || off("a request is repeated only with keys")) && (`},
	{"one step is repeated only for somebody", "payment/resolve.go", "c.TwoStep && w.Undecided", `(c.TwoStep || off("one step is repeated only for somebody")) && w.Undecided`},
	{"a time-out refuses no capture", "booking/resolve.go", "	a.Checks++\n	a.changed = true\n	switch x.do {",
		"	a.Checks++\n	a.changed = true\n	if x.do == payment.DoCapture && off(\"a time-out refuses no capture\") { return d.captureRefused(a) }\n	switch x.do {"},
	{"a voided attempt is not kept", "booking/evidence.go", "if a.Want == payment.Keep && a.Facts.Voided && a.Facts.Captured == 0 {",
		`if a.Want == payment.Keep && a.Facts.Voided && a.Facts.Captured == 0 && !off("a voided attempt is not kept") {`},
	{"nothing is sent for a sale that is closed", "booking/order_dossier.go", `return d.ev.State == "on_sale" &&`,
		`return (d.ev.State == "on_sale" || off("nothing is sent for a sale that is closed")) &&`},
	{"only a live hold is kept", "payment/late.go", "return s.HoldAlive }", `return s.HoldAlive || off("only a live hold is kept") }`},
	// Two lines of defence each: one alone is not missed.
	{"nothing is kept for a sale that is over", "payment/late.go", "return s.EventOff }", `return s.EventOff && !off("nothing is kept for a sale that is over") }`},
	{"nothing is kept for a sale that is over", "payment/late.go", "return s.SaleClosed }", `return s.SaleClosed && !off("nothing is kept for a sale that is over") }`},
	{"a refused capture gives back", "booking/evidence.go", `a.Want, a.Reason, a.changed = a.Want.Then(payment.GiveBack), "capture_failed", true`,
		`if !off("a refused capture gives back") { a.Want, a.Reason, a.changed = a.Want.Then(payment.GiveBack), "capture_failed", true }`},
	{"a refused capture gives back", "order/table.go", "{UnsellLines, RevokeTickets, GiveBackAll, PostReversal}", `{UnsellLines, RevokeTickets, orElse("a refused capture gives back", GiveBackAll), PostReversal}`},
	{"one attempt at a time", "booking/pay.go", "if a := d.unresolved(); a != nil {", `if a := d.unresolved(); a != nil && !off("one attempt at a time") {`},
	{"one attempt at a time", "booking/pay.go", "if o.State != order.Pending {", `if o.State != order.Pending && !off("one attempt at a time") {`},

	{"only free places are taken again", "payment/late.go", " s.PlacesFree &&", ` (s.PlacesFree || off("only free places are taken again")) &&`},
	{"the account's limit holds for late money", "payment/late.go", "s.WithinLimit }", `(s.WithinLimit || off("the account's limit holds for late money")) }`},
	{"the other attempts are given back", "order/table.go", "confirmEffects  = []Effect{SellLines, IssueTickets, GiveBackRest,", `confirmEffects = []Effect{SellLines, IssueTickets, orElse("the other attempts are given back", GiveBackRest),`},
	{"late money is owed at once", "booking/evidence_money.go", "	if more <= 0 {", "	if more <= 0 || off(\"late money is owed at once\") {"},
	{"refunds wait for a dispute", "payment/state.go", "f.Dispute != DisputeOpen && !f.Returned():", `(f.Dispute != DisputeOpen || off("refunds wait for a dispute")) && !f.Returned():`},
	{"a refund without keys is asked about first", "booking/capture_refund.go", "case !asked:", `case !asked && !off("a refund without keys is asked about first"):`},
	{"a refund without keys is not repeated soon", "booking/capture_refund.go", "d.now.Sub(*r.SentAt) < longest:", `d.now.Sub(*r.SentAt) < longest && !off("a refund without keys is not repeated soon"):`},
	{"money returned elsewhere frees its places", "booking/evidence_money.go", "if a.Want != payment.Keep || sold == 0 ||", `if off("money returned elsewhere frees its places") || a.Want != payment.Keep || sold == 0 ||`},
	{"only what equals the places frees them", "booking/evidence_money.go", "sold != amount && !a.Facts.Returned() {", `sold != amount && !a.Facts.Returned() && !off("only what equals the places frees them") {`},
	{"the given-up are watched", "booking/resolve.go", "	a.WatchUntil = &until\n", "	if !off(\"the given-up are watched\") { a.WatchUntil = &until }\n"},
	{"a fact brings what it implies", "payment/facts.go", "	f.Captured = max(f.Captured, f.Refunded)\n	f.Authorized = max(f.Authorized, f.Captured)\n",
		"	if !off(\"a fact brings what it implies\") { f.Captured = max(f.Captured, f.Refunded)\n	f.Authorized = max(f.Authorized, f.Captured) }\n"},
	{"facts only grow", "payment/facts.go", "Captured:   max(f.Captured, g.Captured),", `Captured: map[bool]int64{false: max(f.Captured, g.Captured), true: g.Captured}[off("facts only grow")],`},
	{"a capture is booked as its difference", "order/table.go", "{Confirmed, Capture}:        {Next: Captured, Effects: []Effect{PostCapture}},",
		`{Confirmed, Capture}: {Next: Captured, Effects: []Effect{orElse("a capture is booked as its difference", PostCapture)}},`},
}

const (
	offSource = `
import "os"

var switchedOff = os.Getenv("ROPELINE_RULE_OFF")

func off(rule string) bool { return rule == switchedOff }
`
	// orElse leaves an effect out that carries nothing out.
	orElseSource = `
func orElse(rule string, e Effect) Effect {
	if off(rule) {
		return ReserveNothing
	}
	return e
}

const ReserveNothing Effect = "nothing"
`
)

// TestExplorerMissesRules builds the explorer once more, from sources in which each rule
// can be switched off, and lets it walk without each.
func TestExplorerMissesRules(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the package anew and walks once for each rule")
	}
	core, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay := map[string]string{}
	write := func(path, text string) {
		t.Helper()
		as := filepath.Join(dir, strings.NewReplacer("/", "_").Replace(path))
		if err := os.WriteFile(as, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(core, path)] = as
	}
	texts := map[string]string{}
	for _, r := range rulesOff {
		if texts[r.file] == "" {
			b, err := os.ReadFile(filepath.Join(core, r.file))
			if err != nil {
				t.Fatal(err)
			}
			texts[r.file] = string(b)
		}
		if n := strings.Count(texts[r.file], r.old); n != 1 {
			t.Fatalf("%s: the text of %q stands in %s %d times: %s", "rulesOff", r.name, r.file, n, r.old)
		}
		texts[r.file] = strings.Replace(texts[r.file], r.old, r.new, 1)
	}
	for file, text := range texts {
		write(file, text)
	}
	for _, pkg := range []string{"booking", "payment", "order"} {
		write(pkg+"/rules_off.go", "package "+pkg+"\n"+offSource)
	}
	write("order/rules_off_effect.go", "package order\n"+orElseSource)
	text := strings.Replace(texts["booking/order_dossier.go"], "	case order.ReleaseLines:", "	case order.ReserveNothing:\n		return nil\n	case order.ReleaseLines:", 1)
	write("booking/order_dossier.go", text)
	b, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, b, 0o600); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "explorer.test")
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", list, "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	walk := func(rule string) (string, error) {
		cmd := exec.CommandContext(t.Context(), bin, "-test.run", "^TestExploreToFindARule$", "-test.v")
		cmd.Env = append(os.Environ(), "ROPELINE_RULE_OFF="+rule, walkVariable+"=1")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := walk("none"); err != nil || !strings.Contains(out, "--- PASS") {
		t.Fatalf("with all rules on: %v\n%s", err, out)
	}
	for i, r := range rulesOff {
		if i > 0 && rulesOff[i-1].name == r.name {
			continue
		}
		t.Run(strings.ReplaceAll(r.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			out, err := walk(r.name)
			if err == nil {
				t.Fatal("nobody missed it")
			}
			_, why, _ := strings.Cut(out, "explore_rules_test.go:")
			t.Logf("%.200s", why)
		})
	}
}

const walkVariable = "ROPELINE_EXPLORE_RULES"

// TestExploreToFindARule is what TestExplorerMissesRules runs: walks of full size, then,
// if those find nothing, the exhaustive ones.
func TestExploreToFindARule(t *testing.T) {
	if os.Getenv(walkVariable) == "" {
		t.Skip("run by TestExplorerMissesRules")
	}
	for seed := range uint64(ruleSeeds) {
		if err := wander(seed, newCoverage()); err != nil {
			t.Fatal(err)
		}
	}
	for _, start := range ruleWorlds() {
		start.place(1, 0)
		if _, err := exhaust(start, newCoverage()); err != nil {
			t.Fatal(err)
		}
	}
}

// ruleWorlds are small ones in which what is seldom seen in a large one is certain.
func ruleWorlds() []*world {
	all := contracts()
	crowd := newWorld(all[0], "retake", 2, 1, 1)
	crowd.crowd = true
	return []*world{newWorld(all[1], "refund", 1, 1, 1), crowd, newWorld(all[0], "refund", 1, 1, 2)}
}

const ruleSeeds = 1500
