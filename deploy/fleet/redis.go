package fleet

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/ropeline/ropeline/admission/line/redistest"
)

// Redis is a server with a client beside it, for what an operator would do and see.
type Redis struct {
	*redistest.Server
	*redis.Client
}

// StartRedis runs a server in a directory that exists.
func StartRedis(o redistest.Options) (*Redis, error) {
	s, err := redistest.Start(o)
	if err != nil {
		return nil, err
	}
	return &Redis{s, redis.NewClient(&redis.Options{Addr: s.Addr(), MaxRetries: -1})}, nil
}

// End stops both.
func (r *Redis) End() error {
	_ = r.Client.Close()
	return r.Server.Stop()
}

// Number reads a field of INFO.
func (r *Redis) Number(ctx context.Context, section, field string) (float64, error) {
	text, err := r.Client.Info(ctx, section).Result()
	if err != nil {
		return 0, err
	}
	for l := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(l), field+":"); ok {
			return strconv.ParseFloat(v, 64)
		}
	}
	return 0, fmt.Errorf("INFO %s has no %s", section, field)
}

// Line is the room's line as the store has it: visitor id -> index.
func (r *Redis) Line(ctx context.Context) (map[string]int64, error) {
	all, err := r.Client.ZRangeWithScores(ctx, "ropeline:{"+Room+"}:line", 0, -1).Result()
	if err != nil {
		return nil, err
	}
	m := make(map[string]int64, len(all))
	for _, z := range all {
		m[z.Member.(string)] = int64(z.Score)
	}
	return m, nil
}
