// Package bare runs Caddy without a waiting room: what benchmarks compare with.
package bare

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ropeline/ropeline/deploy/stack"
)

// Server is Caddy without a waiting room: the same binary with a configuration of one handler a port, with the settings that a
// Caddyfile's `http://:port` gets, so that nothing but the handler is compared. It answers with given bytes, or passes on to an origin.
type Server struct {
	*stack.Child
}

// Handler is one handler of a route, as JSON has it.
type Handler map[string]any

// Respond is what `respond "..." status` of a Caddyfile becomes.
func Respond(status int, body []byte) Handler {
	return Handler{"handler": "static_response", "status_code": status, "body": string(body)}
}

// Proxy is what `reverse_proxy address` becomes.
func Proxy(address string) Handler {
	return Handler{"handler": "reverse_proxy", "upstreams": []any{map[string]any{"dial": address}}}
}

// Start runs one server a handler and returns their addresses.
func Start(ctx context.Context, bin, dir string, handlers ...Handler) (*Server, []string, error) {
	ports, err := stack.FreePorts(len(handlers))
	if err != nil {
		return nil, nil, err
	}
	servers, addresses := map[string]any{}, []string{}
	for i, h := range handlers {
		address := fmt.Sprintf("127.0.0.1:%d", ports[i])
		addresses = append(addresses, address)
		servers[fmt.Sprintf("s%d", i)] = map[string]any{"listen": []string{address},
			"routes": []any{map[string]any{"handle": []any{h}}}}
	}
	text, err := json.Marshal(map[string]any{"admin": map[string]any{"disabled": true}, "apps": map[string]any{"http": map[string]any{"servers": servers}}})
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	file := filepath.Join(dir, "bare.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return nil, nil, err
	}
	c, err := stack.Start(dir, stack.Spec{Name: "bare", Path: bin, Args: []string{"run", "--config", file},
		Env: []string{"XDG_DATA_HOME=" + dir, "XDG_CONFIG_HOME=" + dir}})
	if err != nil {
		return nil, nil, err
	}
	return &Server{c}, addresses, stack.Await(ctx, c, stack.Listens(addresses[len(addresses)-1]))
}
