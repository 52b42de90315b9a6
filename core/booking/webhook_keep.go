package booking

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ropeline/ropeline/core/problem"
)

const (
	// webhookDays is how long notices are kept: as long as a dispute about what a
	// provider has told us may come up.
	webhookDays  = 90
	maxLettersIn = 200 // of a list
)

// Letter is a stored webhook as an operator sees it.
type Letter struct {
	Provider, ID, State, Error string
	Tries                      int
	ReceivedAt                 time.Time
}

// Webhooks lists stored webhooks that need somebody's eye, oldest first: those that
// match no payment of ours and those that could not be read.
func Webhooks(ctx context.Context, pool *pgxpool.Pool) ([]Letter, error) {
	rows, err := pool.Query(ctx, sqlOddWebhooks, maxLettersIn)
	if err != nil {
		return nil, fmt.Errorf("list webhooks: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Letter])
}

// ResendWebhook lets a stored webhook be read again, whatever became of it. What it
// says was taken in once and changes nothing a second time.
func ResendWebhook(ctx context.Context, pool *pgxpool.Pool, provider, id string) error {
	tag, err := pool.Exec(ctx, sqlResendWebhook, provider, id)
	if err != nil {
		return fmt.Errorf("resend a webhook: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return problem.NotFound.Say("No webhook %q of provider %q is stored.", id, provider)
	}
	return nil
}
