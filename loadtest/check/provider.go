package check

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

const (
	providerPage = 500      // payments asked for at once
	maxDocument  = 64 << 20 // bytes of one answer
	uuidLength   = 36
)

// Payment is one payment as the provider tells it. Amounts are minor units.
type Payment struct {
	ID         string `json:"id"`
	Reference  string `json:"reference"` // ours: ends with the attempt's id
	Amount     int64  `json:"amount"`
	Currency   string `json:"currency"`
	Status     string `json:"status"`
	Authorized int64  `json:"authorized"`
	Captured   int64  `json:"captured"`
	Refunded   int64  `json:"refunded"`
	Voided     bool   `json:"voided"`
	Declined   bool   `json:"declined"`
}

// resting is money blocked on the buyer's card that nobody took or released.
func (p Payment) resting() int64 {
	if p.Voided || p.Captured > 0 {
		return 0
	}
	return p.Authorized
}

// byOrder groups payments by the order of the attempt their reference names;
// those of no attempt are under "".
func byOrder(attempts []attempt, payments []Payment) map[string][]Payment {
	order := map[string]string{}
	for _, a := range attempts {
		order[a.ID] = a.Order
	}
	of := map[string][]Payment{}
	for _, p := range payments {
		id := p.Reference[max(0, len(p.Reference)-uuidLength):]
		of[order[strings.ToLower(id)]] = append(of[order[strings.ToLower(id)]], p)
	}
	return of
}

// LoadPayments reads the provider's whole list, page by page.
func LoadPayments(ctx context.Context, provider string) ([]Payment, error) {
	all := []Payment{}
	for after := ""; ; {
		query := url.Values{"limit": {fmt.Sprint(providerPage)}, "after": {after}}
		var page struct {
			Payments []Payment `json:"payments"`
		}
		if err := getJSON(ctx, strings.TrimSuffix(provider, "/")+"/v1/payments?"+query.Encode(), &page); err != nil {
			return nil, fmt.Errorf("payments of the provider: %w", err)
		}
		if len(page.Payments) == 0 {
			return all, nil
		}
		all = append(all, page.Payments...)
		after = page.Payments[len(page.Payments)-1].ID
	}
}

func getJSON(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxDocument))
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", address, answer.Status)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	return nil
}
