package fakepay

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ropeline/ropeline/core/payment"
)

// reportDeadline bounds the download of one report; it may be long.
const reportDeadline = 15 * time.Minute

var _ payment.Settler = (*Client)(nil)

// Contract of a fakepay merchant.
func (c *Client) Contract() payment.Contract { return contract }

// Settlement reads the report row by row.
func (c *Client) Settlement(ctx context.Context, from, until time.Time) iter.Seq2[payment.Movement, error] {
	return func(yield func(payment.Movement, error) bool) {
		err := c.settlement(ctx, from, until, func(m payment.Movement) bool { return yield(m, nil) })
		if err != nil && !errors.Is(err, errEnough) {
			yield(payment.Movement{}, fmt.Errorf("fakepay: settlement report: %w", err))
		}
	}
}

// errEnough: whoever reads has stopped.
var errEnough = errors.New("enough")

func (c *Client) settlement(ctx context.Context, from, until time.Time, each func(payment.Movement) bool) error {
	ctx, cancel := context.WithTimeout(ctx, reportDeadline)
	defer cancel()
	q := url.Values{"from": {from.UTC().Format(time.RFC3339Nano)}, "until": {until.UTC().Format(time.RFC3339Nano)}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.conf.URL+"/v1/settlements?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	return readSettlement(res.Body, each)
}

// readSettlement reads to the line that says how many there were: without it, or with
// another number, the report was cut. A row that cannot be read is one that is said.
func readSettlement(body io.Reader, each func(payment.Movement) bool) error {
	r := csv.NewReader(body)
	r.ReuseRecord, r.FieldsPerRecord = true, len(settlementColumns)
	head, err := r.Read()
	if err != nil {
		return err
	}
	if !slices.Equal(head, settlementColumns) {
		return fmt.Errorf("columns %v, want %v", head, settlementColumns)
	}
	for n := 0; ; n++ {
		line, err := r.Read()
		var odd *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return errors.New("it was cut: the last line is missing")
		case errors.As(err, &odd):
			if !each(payment.Movement{Unreadable: fmt.Sprintf("line %d: %v", odd.StartLine, odd.Err)}) {
				return errEnough
			}
			continue
		case err != nil:
			return err
		case line[0] == "end":
			if line[1] != strconv.Itoa(n) {
				return fmt.Errorf("it was cut: %d rows of %s", n, line[1])
			}
			return nil
		}
		if !each(movementOf(line)) {
			return errEnough
		}
	}
}

func movementOf(line []string) payment.Movement {
	amount, err1 := strconv.ParseInt(line[4], 10, 64)
	fee, err2 := strconv.ParseInt(line[5], 10, 64)
	at, err3 := time.Parse(time.RFC3339, line[7])
	if errors.Join(err1, err2, err3) != nil || line[0] == "" || amount <= 0 || !currencyCode.MatchString(line[6]) {
		return payment.Movement{Unreadable: strings.Join(line, ",")}
	}
	return payment.Movement{ID: line[0], Kind: payment.MovementKind(line[1]), PaymentRef: line[2], Reference: line[3],
		Amount: amount, Fee: fee, Currency: line[6], At: at}
}
