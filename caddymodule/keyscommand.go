package caddymodule

import (
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/ropeline/ropeline/admission"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "keys",
		Usage: "init|list|rotate|recall <dir>",
		Short: "Makes, lists, rotates and recalls the signing keys that all edges of a room share",
		Long: `Running edges follow the directory: a change is in force within 5 s, without a reload.

	ropeline keys init   /etc/ropeline/keys
	ropeline keys list   /etc/ropeline/keys
	ropeline keys rotate /etc/ropeline/keys --use pass      # nobody notices
	ropeline keys recall /etc/ropeline/keys <kid>           # all it signed is refused at once`,
		CobraFunc: keysCommands,
	})
}

func keysCommands(cmd *cobra.Command) {
	cmd.AddCommand(keysInit(), keysList(), keysRotate(), keysRecall())
	withCommands(cmd)
}

func exactDir(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("name one directory: ropeline keys " + cmd.Name() + " <dir>")
	}
	return nil
}

func keysInit() *cobra.Command {
	return &cobra.Command{Use: "init <dir>", Short: "Makes a new set of keys in an empty or new directory", Args: exactDir,
		SilenceUsage: true, RunE: func(_ *cobra.Command, args []string) error {
			if err := admission.CreateKeys(args[0], time.Now()); err != nil {
				return err
			}
			fmt.Printf("keys made in %s: give every edge of the room this directory, and nobody else\n", args[0])
			return nil
		}}
}

func keysList() *cobra.Command {
	return &cobra.Command{Use: "list <dir>", Short: "Lists the keys and what each does now", Args: exactDir,
		SilenceUsage: true, RunE: func(_ *cobra.Command, args []string) error { return listKeys(os.Stdout, args[0], time.Now()) }}
}

func listKeys(out io.Writer, dir string, now time.Time) error {
	ring, err := admission.LoadKeys(dir)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "KID\tUSE\tALG\tDOES\tSIGNS FROM\tRETIRES")
	for _, k := range ring.Keys() {
		retires := "never"
		if !k.RetireAt.IsZero() {
			retires = k.RetireAt.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", k.Kid, k.Use, k.Alg, k.Phase(ring, now), k.NotBefore.UTC().Format(time.RFC3339), retires)
	}
	return w.Flush()
}

func keysRotate() *cobra.Command {
	var use string
	cmd := &cobra.Command{Use: "rotate <dir> --use pass|ticket", Short: "Adds a key and gives the old ones an end; nobody loses a place or a session", Args: exactDir,
		SilenceUsage: true, RunE: func(_ *cobra.Command, args []string) error {
			k, err := admission.RotateKey(args[0], admission.Use(use), time.Now())
			if err != nil {
				return err
			}
			fmt.Printf("key %s signs from %s on\n", k.Kid, k.NotBefore.Format(time.RFC3339))
			return nil
		}}
	cmd.Flags().StringVar(&use, "use", string(admission.UsePass), "which key: pass or ticket")
	return cmd
}

func keysRecall() *cobra.Command {
	return &cobra.Command{Use: "recall <dir> <kid>", Short: "Refuses a stolen key and all it signed: passes queue again, tickets lose their place", Args: usedArgs,
		SilenceUsage: true, RunE: func(_ *cobra.Command, args []string) error {
			next, err := admission.RecallKey(args[0], args[1], time.Now())
			if err != nil {
				return err
			}
			fmt.Printf("key %s is recalled: edges refuse it within 5 s, origins when they next fetch the key set (5 min at most)\n", args[1])
			if next != nil {
				fmt.Printf("key %s signs in its place\n", next.Kid)
			}
			return nil
		}}
}
