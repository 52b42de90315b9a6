package caddymodule

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/user"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ropeline/ropeline/admission/line"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "room",
		Usage: "<command> <room> [value] [--address localhost:2019]",
		Short: "Shows and steers the waiting rooms of a running ropeline",
		Long: `Talks to the admin API of a running ropeline on this machine.

	ropeline room list
	ropeline room status boxoffice
	ropeline room rate boxoffice 50/s --why "payments are fast today" --for 30m
	ropeline room pause boxoffice

Every change is in the audit log, with who made it and why.`,
		CobraFunc: roomFlags,
	})
}

// operator is one call of `ropeline room`.
type operator struct {
	Address, Who, Why, For, After string
	Limit                         int
	JSON                          bool
	steps                         stepFlags
	out                           io.Writer
}

// roomVerbs are the commands that change a room; value is the body's member that the third word fills.
var roomVerbs = []struct{ name, value, args, short string }{
	{"open", "", "<room>", "Opens a pre-queue now, with its draw, or a closed room again"},
	{"pause", "", "<room>", "Lets nobody new in; the line grows and keeps its order"},
	{"sold-out", "", "<room>", "Pauses, and tells those who wait that nothing is left at the moment; resume ends it"},
	{"resume", "", "<room>", "Ends a pause; of a room that stopped itself, with the values its status suggests or those given"},
	{"close", "", "<room>", "No joins, no entries; those inside finish"},
	{"rate", "rate", "<room> <entries/time>", "Changes the rate: 20/s, 2000/min, 1000/10s"},
	{"cap", "cap", "<room> <sessions>", "Changes how many may be inside at once"},
	{"message", "message", "<room> <text>", "Says one sentence to those who wait; an empty one takes it away"},
	{"entropy", "entropy", "<room> <value>", "Gives the public value that entropy_source named, after the pre-queue has ended"},
	{"recall", "", "<room>", "Refuses all passes from now on; whoever was inside enters again at the old place, nobody who waits is touched"},
	{"reset", "", "<room>", "Begins a new line: every ticket and pass of the old one is void"},
	{"forget-edge", "edge", "<room> <edge>", "Takes an edge off the list that will never come back, and frees what is held for its visitors"},
}

func roomFlags(cmd *cobra.Command) {
	o := &operator{out: os.Stdout}
	f := cmd.PersistentFlags()
	f.StringVar(&o.Address, "address", caddy.DefaultAdminListen, "address of the admin API")
	f.BoolVar(&o.JSON, "json", false, "print the whole answer as JSON")
	list := &cobra.Command{Use: "list", Short: "Lists the rooms, a line each", Args: usedArgs, SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error { return o.list() }}
	list.Flags().IntVar(&o.Limit, "limit", maxRooms, "rooms a page")
	list.Flags().StringVar(&o.After, "after", "", "name of the last room of the page before")
	cmd.AddCommand(o.paceCommands()...)
	cmd.AddCommand(list, &cobra.Command{Use: "status <room>", Short: "Shows one room", Args: usedArgs, SilenceUsage: true,
		RunE: func(_ *cobra.Command, args []string) error { return o.status(args[0]) }})
	for _, v := range roomVerbs {
		sub := &cobra.Command{Use: v.name + " " + v.args, Short: v.short, Args: usedArgs, SilenceUsage: true,
			RunE: func(_ *cobra.Command, args []string) error { return o.change(v.name, v.value, args) }}
		sub.Flags().StringVar(&o.Why, "why", "", "the reason, for the audit log")
		sub.Flags().StringVar(&o.Who, "who", "", "who decides it (default: the user of this command)")
		sub.Flags().StringVar(&o.For, "for", "", "how long it holds, for example 10m; then it is taken back (rate, cap, message, pause)")
		o.steps.register(v.name, sub.Flags())
		sub.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return roomFlagError(v.name, cmd, err) })
		cmd.AddCommand(sub)
	}
	withCommands(cmd)
}

// roomFlagError takes a negative number for what it is: a value that is out of range, and no flag.
func roomFlagError(verb string, cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if word := "-" + unknown.GetSpecifiedShortnames(); len(word) > 1 && strings.Trim(word, "-0123456789./smhin") == "" && strings.ContainsAny(word, "0123456789") {
			least := map[string]string{"cap": "a whole number of live sessions from 0 on, for example 500", "rate": "entries per time from 0 on, for example 20/s"}[verb]
			return fmt.Errorf("%s %s: write %s", verb, word, cmp.Or(least, "no number below 0"))
		}
	}
	return flagError(cmd, err)
}

func (o *operator) list() error {
	q := url.Values{"limit": {strconv.Itoa(o.Limit)}, "after": {o.After}}
	raw, err := o.ask(http.MethodGet, adminPrefix+"?"+q.Encode(), nil)
	if err != nil || o.JSON {
		return o.raw(raw, err)
	}
	var all []roomReport
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	w := tabwriter.NewWriter(o.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ROOM\tSTATE\tWAITING\tPRESENT\tDOOR\tINSIDE\tCAP\tRATE")
	for _, r := range all {
		waiting, present := r.depth()
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n", r.Room, r.State, waiting, present, r.Door, r.Live, r.Cap, r.RateText)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(all) == o.Limit && len(all) > 0 {
		fmt.Fprintf(o.out, "more: --after %s\n", all[len(all)-1].Room)
	}
	return nil
}

func (o *operator) status(room string) error {
	return o.show(o.ask(http.MethodGet, adminPrefix+"/"+url.PathEscape(room), nil))
}

func (o *operator) change(action, member string, args []string) error {
	if o.Who == "" {
		o.Who = thisUser()
	}
	body := map[string]any{"who": o.Who}
	for name, v := range map[string]string{"why": o.Why, "for": o.For} {
		if v != "" {
			body[name] = v
		}
	}
	if member != "" {
		body[member] = args[1]
	}
	if member == "cap" {
		n, err := strconv.Atoi(args[1])
		if err != nil || n < 0 || n > line.MaxCap {
			return fmt.Errorf("cap %q: write a whole number of live sessions up to %d, for example 500", args[1], line.MaxCap)
		}
		body[member] = n
	}
	if member == "rate" { // here, for the edge's answer speaks of the body to whoever sends one
		if _, err := line.ParseRate(args[1]); err != nil {
			return err
		}
	}
	if err := o.fillStep(action, args[0], body); err != nil {
		return err
	}
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return o.show(o.ask(http.MethodPost, adminPrefix+"/"+url.PathEscape(args[0])+"/"+action, b))
}

func (o *operator) show(raw []byte, err error) error {
	if err != nil || o.JSON {
		return o.raw(raw, err)
	}
	var r roomReport
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	w := tabwriter.NewWriter(o.out, 0, 4, 2, ' ', 0)
	row := func(name, format string, args ...any) { fmt.Fprintf(w, name+"\t"+format+"\n", args...) }
	row("room", "%s (epoch %d, term %d)", r.Room, r.Epoch, r.Term)
	// What holds for a time only says so in its own row.
	until := func(what string) string {
		e, ok := r.Expiring[what]
		if !ok {
			return ""
		}
		delete(r.Expiring, what)
		if what == whatState && e.Was == e.Set {
			e.Was = "resumed" // it was paused already, and its pause has an end now
		}
		return fmt.Sprintf(" until %s, then %s", stamp(e.At), cmp.Or(e.Was, "none"))
	}
	row("state", "%s%s", r.State, until(whatState))
	waiting, present := r.depth()
	row("waiting", "%d, %d of them present, %d at the door", waiting, present, r.Door)
	if r.Unsure > 0 {
		row("", "up to %d more, who have not shown their tickets since the store lost its data", r.Unsure)
	}
	row("inside", "%d of %d%s", r.Live, r.Cap, until(whatCap))
	if e, ok := r.Expiring[whatRate]; ok && e.Set != r.RateText { // a pin is in force beside it, which has its own end
		row("rate", "%s", r.RateText)
		row("rate set", "%s%s", e.Set, until(whatRate))
	} else {
		row("rate", "%s%s", r.RateText, until(whatRate))
	}
	if p := r.Pacing; p != nil {
		row("pace", "%s%s%s", p.Mode, map[bool]string{false: ", not applied"}[p.Applied], until(whatPace))
		row("", "%s", p.Sentence)
	}
	row("called", "%s", r.called())
	if r.OpensAt > 0 {
		row("opens", "%s", stamp(time.UnixMilli(r.OpensAt)))
	}
	if r.Message != "" {
		row("message", "%s%s", r.Message, until(whatMessage))
	}
	if r.Entropy != "" && r.Entropy != "none" {
		row("entropy", "from %q: %s", r.Entropy, map[bool]string{true: "not given yet", false: r.Draw.Entropy}[r.Draw.Entropy == ""])
	}
	for what, e := range r.Expiring {
		row(what, "%s until %s, then %s", e.Set, stamp(e.At), e.Was)
	}
	showEdges(row, r)
	if r.StoreStale {
		row("store", "has not answered for more than 3 s: nobody new is let in")
	}
	return w.Flush()
}

func (o *operator) raw(b []byte, err error) error {
	if err == nil {
		_, err = o.out.Write(b)
	}
	return err
}

// ask turns what goes wrong into one line with its cure.
func (o *operator) ask(method, uri string, body []byte) ([]byte, error) {
	h := http.Header{"Content-Type": {"application/json"}}
	addr := strings.TrimSuffix(strings.TrimPrefix(o.Address, "http://"), "/")
	resp, err := caddycmd.AdminAPIRequest(addr, method, uri, h, bytes.NewReader(body))
	if err != nil {
		if _, answer, ok := strings.Cut(err.Error(), "HTTP "); ok { // Caddy keeps no other trace of it
			var said struct{ Error string }
			_, doc, _ := strings.Cut(answer, ": ")
			if json.Unmarshal([]byte(doc), &said) == nil && said.Error != "" {
				return nil, errors.New(said.Error)
			}
			return nil, fmt.Errorf("the admin API at %s answered HTTP %s", addr, strings.ReplaceAll(answer, "\n", " "))
		}
		return nil, fmt.Errorf("no admin API at %s: start ropeline with one (admin localhost:2019 in the Caddyfile, --admin with waiting-room), or name it with --address", addr)
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func thisUser() string {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return clipTo(name, maxWho)
}

func clipTo(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
