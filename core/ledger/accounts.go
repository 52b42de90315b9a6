package ledger

// Account is a ledger account's name. Only the constructors make them, so that
// two spellings of one account cannot exist.
type Account string

// Receivable is the price of orders confirmed and not yet captured.
func Receivable(provider string) Account { return Account("receivable:" + provider) }

// Clearing is money at the provider: captured, less refunded and disputed.
func Clearing(provider string) Account { return Account("clearing:" + provider) }

// Dispute is money in open disputes.
func Dispute(provider string) Account { return Account("dispute:" + provider) }

// Payable is what the organiser is owed for what was sold.
func Payable(organiser string) Account { return Account("payable:" + organiser) }

// Revenue is the platform's part of what was sold.
const Revenue Account = "revenue"

// RefundsDue is money held for buyers: late money and reserved refunds.
const RefundsDue Account = "refunds_due"
