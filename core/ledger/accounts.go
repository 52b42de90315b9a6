package ledger

import "strings"

// Account is a ledger account's name: its kind, and after a colon whose it is. Only
// the constructors make them, so that two spellings of one account cannot exist, and
// the table takes no kind that is not in the chart.
type Account string

// Kind is the account's line in the chart.
func (a Account) Kind() string {
	kind, _, _ := strings.Cut(string(a), ":")
	return kind
}

// Kind is a line of the chart of accounts.
type Kind struct {
	Name  string
	Class string // asset, liability, income, expense
	Means string
}

// Chart is all there is. A balance > 0 is a debit: assets and expenses are normally
// above zero, liabilities and income below.
var Chart = []Kind{
	{"receivable", "asset", "price of orders confirmed and not yet captured, by provider"},
	{"clearing", "asset", "money at the provider: captured, less refunds, disputes, fees and payouts"},
	{"dispute", "asset", "money in open disputes, by provider"},
	{"bank", "asset", "money in our own account: paid out by providers, less paid to organisers"},
	{"provider_fees", "expense", "what providers kept of captures, by provider"},
	{"payable", "liability", "what an organiser is owed for what is sold"},
	{"fees_kept", "liability", "what an organiser is owed of orders given back with a fee"},
	{"revenue", "income", "the platform's part of what is sold"},
	{"refunds_due", "liability", "money held for buyers: late money and reserved refunds"},
}

// Receivable is the price of orders confirmed and not yet captured.
func Receivable(provider string) Account { return Account("receivable:" + provider) }

// Clearing is money at the provider.
func Clearing(provider string) Account { return Account("clearing:" + provider) }

// Dispute is money in open disputes.
func Dispute(provider string) Account { return Account("dispute:" + provider) }

// ProviderFees are what the provider kept.
func ProviderFees(provider string) Account { return Account("provider_fees:" + provider) }

// Payable is what the organiser is owed for what was sold.
func Payable(organiser string) Account { return Account("payable:" + organiser) }

// FeesKept is what the organiser is owed of orders that were given back with a fee.
func FeesKept(organiser string) Account { return Account("fees_kept:" + organiser) }

const (
	// Revenue is the platform's part of what was sold.
	Revenue Account = "revenue"
	// RefundsDue is money held for buyers: late money and reserved refunds.
	RefundsDue Account = "refunds_due"
	// Bank is our own account.
	Bank Account = "bank"
)

// House is the event id of journals that belong to no event.
const House int64 = 0
