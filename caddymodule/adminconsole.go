package caddymodule

import (
	"net/http"

	"github.com/caddyserver/caddy/v2"

	"github.com/ropeline/ropeline/caddymodule/console"
)

func init() { caddy.RegisterModule(adminConsole{}) }

const consolePath = "/ropeline/console"

// adminConsole adds the console, a page for people, to Caddy's admin listener. On a TCP address Caddy opens no page there
// to a browser, which sends Sec-Fetch-Mode and no Origin: `ropeline console` is the way. On a Unix socket, reached through
// ssh -L, it does.
type adminConsole struct{}

// CaddyModule returns the module's id.
func (adminConsole) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "admin.api.ropeline_console", New: func() caddy.Module { return adminConsole{} }}
}

// Routes implements caddy.AdminRouter.
func (adminConsole) Routes() []caddy.AdminRoute {
	return []caddy.AdminRoute{{Pattern: consolePath, Handler: caddy.AdminHandlerFunc(answerConsole)}}
}

func answerConsole(w http.ResponseWriter, r *http.Request) error { return admit(w, r, servePage) }

func servePage(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return refuse(http.StatusMethodNotAllowed, "the console is a page: open it in a browser")
	}
	console.ServeHTTP(w, r)
	return nil
}

var _ caddy.AdminRouter = adminConsole{}
