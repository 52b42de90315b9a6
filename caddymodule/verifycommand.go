package caddymodule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/lottery"
)

const (
	verifyTimeout = 2 * time.Minute
	maxRecord     = 1 << 20
	maxList       = 9 << 30
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "verify-draw",
		Usage: "<file or URL of the record> [--list <file>] [--receipt <file>] [--number <n>]",
		Short: "Recomputes a draw from its published record",
		Long: `Checks that the secret is the one committed to, that the list of participants is the one that
was drawn, that the seed follows from them, and that every place is given once.

	ropeline verify-draw https://shop.example.com/.well-known/ropeline/main/draw
	ropeline verify-draw draw.json --list list.txt --receipt receipt.txt --keys jwks.json

From a URL, the list and the keys are fetched beside the record. Numbers and places count from 1, as on the page; index and
place in JSON, receipts and records count from 0.`,
		CobraFunc: func(cmd *cobra.Command) {
			o := &verifyDraw{out: os.Stdout, index: -1}
			f := cmd.Flags()
			f.StringVar(&o.list, "list", "", "file with the list of participants (default: <record>/list)")
			f.StringVar(&o.receipt, "receipt", "", "file with a receipt: is it in the draw, and at which place?")
			f.StringVar(&o.keys, "keys", "", "file with the key set that signed the receipt (default: jwks.json beside the record)")
			f.Int64Var(&o.number, "number", 0, "say the place of this participant: its line in the list, from 1, as the page \"Check my draw\" shows it")
			f.Int64Var(&o.index, "index", -1, "the same from 0, as receipts and JSON have it")
			f.StringVar(&o.entropy, "entropy", "", "the public value as you know it from its source: must be the one that was used")
			cmd.Args, cmd.SilenceUsage = cobra.ExactArgs(1), true
			cmd.RunE = func(_ *cobra.Command, args []string) error { return o.run(args[0]) }
		},
	})
}

type verifyDraw struct {
	list, receipt, keys, entropy string
	index, number                int64
	out                          io.Writer
}

func (o *verifyDraw) run(from string) error {
	raw, err := fetch(from, maxRecord)
	if err != nil {
		return err
	}
	var rec lottery.Record
	if err := json.Unmarshal(raw, &rec); err != nil {
		return fmt.Errorf("%s is not the record of a draw: %w", from, err)
	}
	if rec.Secret == "" {
		return fmt.Errorf("the draw of room %s has not been revealed yet, so there is nothing to check: come again after the opening", rec.Room)
	}
	if err := o.wanted(rec); err != nil {
		return err
	}
	where := o.list
	if where == "" {
		if !isURL(from) {
			return errors.New("--list is missing: name the file with the list of participants (GET .../draw/list)")
		}
		where = strings.TrimSuffix(from, "/") + "/list"
	}
	body, err := fetch(where, maxList)
	if err != nil {
		return err
	}
	leaves, err := lottery.ReadList(bytes.NewReader(body))
	if err != nil {
		return err
	}
	v, err := lottery.Verify(rec, leaves)
	if err == nil {
		err = v.CheckAll()
	}
	if err != nil {
		return fmt.Errorf("THE DRAW DOES NOT HOLD: %w", err)
	}
	if o.entropy != "" && o.entropy != rec.Entropy {
		return fmt.Errorf("THE DRAW DOES NOT HOLD: it was made with the value %q, not with %q", rec.Entropy, o.entropy)
	}
	fmt.Fprintf(o.out, "The draw of room %s (epoch %d) holds: %d participants, every place given once.\n", rec.Room, rec.Epoch, rec.N)
	if v.Public {
		fmt.Fprintf(o.out, "Nobody could choose its result, if this value was unknown before the opening: %s: %q\n", rec.EntropySource, rec.Entropy)
	} else {
		fmt.Fprintln(o.out, "Nothing was changed after the commitment was published. No public value was mixed in: whoever knew the secret could have chosen it.")
	}
	if v.Unknown > 0 {
		fmt.Fprintf(o.out, "%d participants are unknown in the list: so many places could have been used by a dishonest operator.\n", v.Unknown)
	}
	if o.number > 0 {
		fmt.Fprintf(o.out, "Number %d in the list has place %d.\n", o.number, v.Place(o.number-1)+1)
	}
	if o.receipt == "" {
		return nil
	}
	return o.checkReceipt(from, rec, v)
}

// wanted turns --index, as programs count, into --number, as people do.
func (o *verifyDraw) wanted(rec lottery.Record) error {
	switch {
	case o.index >= 0 && o.number > 0:
		return errors.New("--index and --number name one participant in two ways: give one")
	case o.index >= rec.N:
		return fmt.Errorf("--index %d: %s", o.index, inDraw(rec.N, 0))
	case o.number > rec.N || o.number < 0:
		return fmt.Errorf("--number %d: %s", o.number, inDraw(rec.N, 1))
	case o.index >= 0:
		o.number = o.index + 1
	}
	return nil
}

func inDraw(n, first int64) string {
	if n == 0 {
		return "nobody was in the draw; who came after the opening has the place of the arrival"
	}
	return fmt.Sprintf("the draw had %d participants: write %d to %d; who came after the opening has the place of the arrival", n, first, n-1+first)
}

func (o *verifyDraw) checkReceipt(from string, rec lottery.Record, v *lottery.Verified) error {
	raw, err := fetch(o.receipt, maxRecord)
	if err != nil {
		return err
	}
	keys := o.keys
	if keys == "" {
		if !isURL(from) {
			return errors.New("--keys is missing: name the file with the key set (GET .../jwks.json)")
		}
		keys = from[:strings.LastIndex(strings.TrimSuffix(from, "/"), "/")] + "/jwks.json"
	}
	set, err := fetch(keys, maxRecord)
	if err != nil {
		return err
	}
	rc, err := admission.VerifyReceipt(strings.TrimSpace(string(raw)), set)
	if err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	switch {
	case rc.Room != rec.Room || rc.Epoch != rec.Epoch:
		return fmt.Errorf("the receipt is for room %s, epoch %d: another draw", rc.Room, rc.Epoch)
	case fmt.Sprintf("%x", rc.Commit) != rec.Commit:
		return fmt.Errorf("THE DRAW DOES NOT HOLD: your receipt promises the commitment %x, the record has %s", rc.Commit, rec.Commit)
	case rc.Source != rec.EntropySource:
		return fmt.Errorf("THE DRAW DOES NOT HOLD: your receipt promises the entropy source %q, the record has %q", rc.Source, rec.EntropySource)
	case rc.Index >= rec.N:
		fmt.Fprintf(o.out, "Your receipt: number %d came after the opening, so its place is %d.\n", rc.Index+1, rc.Index+1)
		return nil
	case v.Leaves[rc.Index] == [32]byte{}:
		fmt.Fprintf(o.out, "Your receipt: number %d is one of the unknown participants; its place is %d.\n", rc.Index+1, v.Place(rc.Index)+1)
		return nil
	case v.Leaves[rc.Index] != rc.Leaf:
		return fmt.Errorf("THE DRAW DOES NOT HOLD: the list has somebody else at your number %d", rc.Index+1)
	}
	fmt.Fprintf(o.out, "Your receipt: number %d is in the list, and its place is %d.\n", rc.Index+1, v.Place(rc.Index)+1)
	return nil
}

func isURL(s string) bool { return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") }

// fetch reads a file or a URL.
func fetch(from string, limit int64) ([]byte, error) {
	if !isURL(from) {
		return os.ReadFile(filepath.Clean(from))
	}
	c := http.Client{Timeout: verifyTimeout}
	resp, err := c.Get(from)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", from, resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, limit))
}
