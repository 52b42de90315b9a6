package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/ropeline/ropeline/core/booking"
)

// maxCodes of one command.
const maxCodes = 100_000

// makeCodes prints the only copy there is of new presale codes: the database keeps
// their hashes.
func makeCodes(ctx context.Context, args []string, out io.Writer) error {
	if len(args) < 3 || len(args) > 4 {
		return errUsage
	}
	count, err := strconv.Atoi(args[2])
	if err != nil || count < 1 || count > maxCodes {
		return fmt.Errorf("codes: %q is not a number of codes; write one from 1 to %d", args[2], maxCodes)
	}
	uses := 1
	if len(args) == 4 {
		if uses, err = strconv.Atoi(args[3]); err != nil || uses < 1 {
			return fmt.Errorf("codes: %q is not a number of uses; write one from 1 up", args[3])
		}
	}
	return withShop(ctx, "codes", func(e *booking.Engine) error {
		codes, err := e.MintCodes(ctx, args[0], args[1], count, uses)
		if err != nil {
			return err
		}
		for _, code := range codes {
			fmt.Fprintln(out, code)
		}
		return nil
	})
}
