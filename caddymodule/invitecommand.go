package caddymodule

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/ropeline/ropeline/admission"
)

const maxInvites = 100_000

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "invite",
		Usage: "<keys directory> --room <room> [--count 1] [--valid 72h] [--link https://shop.example.com]",
		Short: "Signs invitations to a room: each is one place, however often it is used",
		Long: `Writes one invitation a line. Its bearer may join before the pre-queue begins and in a room with "join invited".

	ropeline invite /etc/ropeline/keys --room main --count 200 --valid 72h --link https://shop.example.com > links.txt

With --link each line is an address to send; without, the code for the field on the waiting page.`,
		CobraFunc: func(cmd *cobra.Command) {
			var o inviteOptions
			cmd.Args, cmd.SilenceUsage = exactDir, true
			cmd.Flags().StringVar(&o.room, "room", "", "the room's name (required)")
			cmd.Flags().IntVar(&o.count, "count", 1, fmt.Sprintf("how many, 1 to %d", maxInvites))
			cmd.Flags().DurationVar(&o.valid, "valid", 72*time.Hour, "how long they may be used, at most 720h")
			cmd.Flags().StringVar(&o.link, "link", "", "address of the site, to write links")
			cmd.RunE = func(_ *cobra.Command, args []string) error { return o.write(os.Stdout, args[0], time.Now()) }
		},
	})
}

type inviteOptions struct {
	room, link string
	count      int
	valid      time.Duration
}

func (o inviteOptions) write(out io.Writer, dir string, now time.Time) error {
	if o.room == "" {
		return errors.New("--room is missing: name the room that the invitations are for")
	}
	if err := checkName(o.room); err != nil {
		return err
	}
	if o.count < 1 || o.count > maxInvites {
		return fmt.Errorf("--count %d: 1 to %d", o.count, maxInvites)
	}
	if o.valid < time.Minute || o.valid > admission.MaxInvite {
		return fmt.Errorf("--valid %s: 1m to %s, as long as a replaced ticket key still verifies", o.valid, admission.MaxInvite)
	}
	if o.link != "" && !strings.HasPrefix(o.link, "https://") && !strings.HasPrefix(o.link, "http://") {
		return fmt.Errorf("--link %s: write the site's whole address, for example https://shop.example.com", o.link)
	}
	ring, err := admission.LoadKeys(dir)
	if err != nil {
		return err
	}
	for range o.count {
		raw, err := ring.SignInvitation(admission.Invitation{Room: o.room, ID: admission.NewVID(), IssuedAt: now, Expires: now.Add(o.valid)})
		if err != nil {
			return err
		}
		if o.link != "" {
			raw = strings.TrimSuffix(o.link, "/") + reservedPrefix + o.room + "/invite#invitation=" + raw
		}
		if _, err := fmt.Fprintln(out, raw); err != nil {
			return err
		}
	}
	return nil
}
