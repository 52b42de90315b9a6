// Command ropeline is Caddy with the waiting_room handler built in.
package main

import (
	"runtime/debug"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/ropeline/ropeline/caddymodule"
)

// version is Ropeline's own; Caddy puts its version behind it.
func version() string {
	v := "ropeline (unreleased)"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v + ", Caddy"
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v = "ropeline " + info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v += " " + s.Value[:min(12, len(s.Value))]
		}
	}
	return v + ", Caddy"
}

func main() {
	caddy.CustomBinaryName = "ropeline"
	caddy.CustomVersion = version()
	caddy.CustomLongDescription = `Ropeline is Caddy with a fair waiting room built in. Every command of Caddy is here; these are new:

	ropeline waiting-room --to http://localhost:3000 --rate 20/s
	ropeline room status main
	ropeline verify-draw https://shop.example.com/.well-known/ropeline/main/draw
	ropeline keys init <dir>`
	caddycmd.Main()
}
