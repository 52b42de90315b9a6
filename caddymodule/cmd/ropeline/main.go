// Command ropeline is Caddy with the waiting_room handler built in.
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/ropeline/ropeline/caddymodule"
)

func main() { caddycmd.Main() }
