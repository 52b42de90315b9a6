package main

import (
	"context"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pg/migrate"
)

// openCurrent opens a database and makes sure that its schema is this build's.
func openCurrent(ctx context.Context, url string, o pg.Options) (*pg.DB, error) {
	db, err := pg.Open(ctx, url, o)
	if err != nil {
		return nil, err
	}
	if err := migrate.Check(ctx, db.Pool); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// openForTool opens the database that an import would go to, for one of the operator's
// commands.
func openForTool(ctx context.Context, o pg.Options) (*pg.DB, error) {
	c, err := loadConfig(environment())
	if err != nil {
		return nil, err
	}
	url, err := c.importURL()
	if err != nil {
		return nil, err
	}
	return openCurrent(ctx, url, o)
}
