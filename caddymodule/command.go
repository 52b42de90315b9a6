package caddymodule

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ropeline/ropeline/admission/line"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "waiting-room",
		Usage: "--from <address> --to <origin> --rate <entries/time> [...]",
		Short: "Puts a fair waiting room in front of a web site, with nothing else to install",
		Long: `Starts a waiting room in front of any origin. Visitors get a place in line and are let
in at the given rate, never more than the cap at once.

	ropeline waiting-room --from :8080 --to http://localhost:3000 --rate 20/s

The line is kept in this process and survives its restart. With --store
redis://... several edges share one line; they then need a common --keys directory.`,
		CobraFunc: waitingRoomFlags,
	})
}

// quick is what the command line asks for.
type quick struct {
	From, To, Rate, State, OpensAt, Store, Room, GrantLog, Keys, Title, Admin string
	Cap                                                                       int
	AccessLog                                                                 bool

	origin string // with the scheme and port that To may leave out
}

func waitingRoomFlags(cmd *cobra.Command) {
	q := new(quick)
	f := cmd.Flags()
	f.StringVarP(&q.From, "from", "f", ":8080", "address to listen on; a host name gets HTTPS by itself")
	f.StringVarP(&q.To, "to", "t", "", "the origin, for example http://localhost:3000")
	f.StringVarP(&q.Rate, "rate", "r", "", "how many may enter, for example 20/s, 2000/min, 1000/10s; auto: as many as the origin bears")
	f.IntVar(&q.Cap, "cap", line.DefaultCap, "live sessions at most; with --rate auto none unless given")
	f.StringVar(&q.State, "state", "open", "open, prequeue or paused")
	f.StringVar(&q.OpensAt, "opens-at", "", "with --state prequeue: when to draw and open, for example 2026-11-30T20:00:00Z")
	f.StringVar(&q.Store, "store", line.Embedded, "embedded, or redis://[:password@]host:6379/0")
	f.StringVar(&q.Room, "room", "main", "name of the room")
	f.StringVar(&q.Title, "title", "", "title of the waiting page (default: the room's name)")
	f.StringVar(&q.GrantLog, "grant-log", "", "file for every decision of the door, one JSON object a line")
	f.StringVar(&q.Keys, "keys", "", "directory of signing keys (default with the embedded store: made by itself)")
	f.StringVar(&q.Admin, "admin", "", "address of the admin API, for example localhost:2019 (default: none)")
	f.BoolVar(&q.AccessLog, "access-log", false, "log requests")
	cmd.SilenceUsage = true
	cmd.SetFlagErrorFunc(flagError)
	cmd.RunE = func(*cobra.Command, []string) error { return q.run() }
}

// flagError says what the flag library says in words of its own and of strconv, with the cure.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return fmt.Errorf("--%s %s: write a value such as %s", value.GetFlag().Name, value.GetValue(), value.GetFlag().DefValue)
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	const near = 2 // letters
	name, meant := unknown.GetSpecifiedName(), ""
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if meant == "" && distance(f.Name, name) <= near {
			meant = f.Name
		}
	})
	if meant == "" {
		return fmt.Errorf("there is no flag --%s: %s --help lists them", name, cmd.CommandPath())
	}
	return fmt.Errorf("there is no flag --%s: did you mean --%s?", name, meant)
}

func (q *quick) run() error {
	caddy.TrapSignals()
	cfg, site, err := q.config()
	if err != nil {
		return err
	}
	if err := caddy.Run(cfg); err != nil {
		return oneLine(err, q.From)
	}
	q.welcome(site)
	select {}
}

// dataDir keeps the memory of one waiting room apart from another's on the same machine: two processes must not share
// a log, and the same address cannot be listened on twice.
func (q *quick) dataDir() string {
	place := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.-", r) {
			return r
		}
		return '_'
	}, strings.ToLower(q.From))
	return filepath.Join(caddy.AppDataDir(), "ropeline", "quick", place)
}

// oneLine takes Caddy's nesting off an error of starting.
func oneLine(err error, from string) error {
	s := err.Error()
	if strings.Contains(s, "address already in use") { // Caddy keeps no cause to ask for
		return fmt.Errorf("--from %s: something listens there already: choose another address or stop it", from)
	}
	for _, head := range []string{"ropeline app module: start: ", "loading new config: ", "provision http.handlers.waiting_room: ", "provision ropeline: "} {
		if i := strings.LastIndex(s, head); i >= 0 {
			s = s[i+len(head):]
		}
	}
	return errors.New(strings.ReplaceAll(s, "\n", " "))
}

func (q *quick) welcome(s site) {
	fmt.Fprintf(os.Stdout, "\n  A waiting room stands in front of %s\n\n", q.origin)
	for i, url := range s.urls() {
		name := "Open"
		if i > 0 {
			name = "Phone"
		}
		fmt.Fprintf(os.Stdout, "    %-9s %s\n", name, url)
	}
	fmt.Fprintf(os.Stdout, "    %-9s %s in, at most %d inside at once (room %q, %s)\n", "Lets", q.Rate, q.Cap, q.Room, q.State)
	if q.Admin != "" {
		fmt.Fprintf(os.Stdout, "    %-9s curl %s/ropeline/rooms/%s\n", "Steer", q.Admin, q.Room)
	}
	fmt.Fprintf(os.Stdout, "\n  Ctrl-C stops it.\n\n")
}
