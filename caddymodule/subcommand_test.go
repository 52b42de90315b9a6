package caddymodule

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A word that is no command, and one too few or too many, are errors that name the cure, and not a help text with status 0.
func TestCommandsNameWhatIsWrong(t *testing.T) {
	for args, want := range map[string]string{
		"room puase main":           `ropeline room: there is no command "puase": did you mean pause?`,
		"room puase main --for 10m": `ropeline room: there is no command "puase": did you mean pause?`,
		"room --adress x list":      "there is no flag --adress: did you mean --address?",
		"keys rotat /k":             `ropeline keys: there is no command "rotat": did you mean rotate?`,
		"keys shred /k":             `ropeline keys: there is no command "shred": use one of init, list, recall, rotate`,
		"room rate":                 "<room> and <entries/time> are missing: write ropeline room rate <room> <entries/time>",
		"room cap main":             "<sessions> is missing: write ropeline room cap <room> <sessions>",
		"room pace main":            "<auto|pin|pause|drain|shadow> is missing: write ropeline room pace <room> <auto|pin|pause|drain|shadow> [rate]",
		"room message main Doors 8": `"8" is one word too many (a text with spaces needs quotes): write ropeline room message <room> <text>`,
		"room list main":            `"main" is one word too many (a text with spaces needs quotes): write ropeline room list`,
		"keys recall /k":            "<kid> is missing: write ropeline keys recall <dir> <kid>",
		"room rate main 20":         `rate "20": no slash (write entries per time, for example 20/s, 2000/min or 1000/10s)`,
		"room rate main 0.5/s":      `rate "0.5/s": entries are whole: this one is 1/2s (write entries per time, for example 20/s, 2000/min or 1000/10s)`,
		"room cap main 99999999":    `cap "99999999": write a whole number of live sessions up to 10000000, for example 500`,
	} {
		if _, err := ropelineCommand(args); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
	for _, group := range []string{"room", "keys"} {
		if out, err := ropelineCommand(group); err != nil || !strings.Contains(out, "Available Commands") {
			t.Errorf("%s alone: %q, %v, want its help", group, out, err)
		}
	}
}

func ropelineCommand(args string) (string, error) {
	var out bytes.Buffer
	root := &cobra.Command{Use: "ropeline", SilenceErrors: true}
	room, keys := &cobra.Command{Use: "room"}, &cobra.Command{Use: "keys"}
	roomFlags(room)
	keysCommands(keys)
	root.AddCommand(room, keys)
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(strings.Fields(args))
	err := root.Execute()
	return out.String(), err
}
