// Command ropeline is Caddy with the waiting_room handler built in.
package main

import (
	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/ropeline/ropeline/caddymodule"
)

func main() {
	caddy.CustomBinaryName = "ropeline"
	caddy.CustomLongDescription = `Ropeline is Caddy with a fair waiting room built in. Every command of Caddy is here; these are new:

	ropeline waiting-room --to http://localhost:3000 --rate 20/s
	ropeline room status main
	ropeline verify-draw https://shop.example.com/.well-known/ropeline/main/draw
	ropeline keys init <dir>`
	caddycmd.Main()
}
