package caddymodule

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// withCommands is for a command that only has others below it. Cobra would print its help and end with status 0 for a word that
// it does not know, and a script would go on as if the room were paused.
func withCommands(group *cobra.Command) {
	group.Args, group.SilenceUsage = cobra.ArbitraryArgs, true
	group.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return noSuchCommand(cmd, args[0])
	}
	group.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd == group && cmd.Flags().NArg() > 0 { // the flag is one of the command that was meant
			return noSuchCommand(cmd, cmd.Flags().Arg(0))
		}
		return flagError(cmd, err)
	})
}

func noSuchCommand(group *cobra.Command, name string) error {
	known := option[struct{}]{}
	for _, c := range group.Commands() {
		if !c.Hidden {
			known[c.Name()] = nil
		}
	}
	return fmt.Errorf("%s: there is no command %q%s", group.CommandPath(), clip(name), suggest(name, known))
}

// usedArgs checks how many words a command got by what its Use names: <room> must be there, [rate] may be. What is missing is
// named, for cobra's "accepts 2 arg(s)" says not which.
func usedArgs(cmd *cobra.Command, args []string) error {
	words := strings.Fields(cmd.Use)[1:]
	write := ": write " + strings.TrimSpace(cmd.CommandPath()+" "+strings.Join(words, " "))
	if len(args) > len(words) {
		return fmt.Errorf("%q is one word too many (a text with spaces needs quotes)%s", clip(args[len(words)]), write)
	}
	var missing []string
	for _, w := range words[len(args):] {
		if strings.HasPrefix(w, "<") {
			missing = append(missing, w)
		}
	}
	switch len(missing) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s is missing%s", missing[0], write)
	}
	return fmt.Errorf("%s are missing%s", strings.Join(missing, " and "), write)
}
