package main

import "strings"

// usageOf is what a command line that is not understood is told: the forms of its command
// (of `ledger payout` if both words are known), or everything where no command was named.
func usageOf(args []string) string {
	if len(args) == 0 {
		return usage
	}
	commands, _, _ := strings.Cut(usage, "\nEnvironment")
	var forms, closer []string
	for line := range strings.Lines(commands) {
		entry, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "  ")
		if !ok || strings.HasPrefix(entry, " ") {
			continue
		}
		form, _, _ := strings.Cut(entry, "  ") // two spaces part a form from what it does
		words := strings.Fields(form)
		if words[0] != args[0] {
			continue
		}
		forms = append(forms, form)
		if len(args) > 1 && len(words) > 1 && words[1] == args[1] {
			closer = append(closer, form)
		}
	}
	switch {
	case len(closer) > 0:
		forms = closer
	case len(forms) == 0:
		return usage
	}
	return "usage: bookingd " + strings.Join(forms, "\n       bookingd ") + "\n"
}

const usage = `usage: bookingd <command>

  serve                 serve the API and the storefront until SIGTERM
  migrate               bring the database to the schema of this build
  import <file>...      bring in venues and events from .json and .csv files; all files or none
  trace <event> <seat>  tell who had a seat when, and why it changed; <seat> is its number or section/row/number
  limit <event> <counter> <capacity> <overbook> <why>
                        change what an area or class may sell, also below what is sold; kept on record
  denied <event> <counter>
                        tell who has no place in an overbooked class if everybody comes
  codes <event> <presale> <count> [<uses>]
                        make presale codes, each for so many accounts (1), and print them
  presale list <event> [<presale> [<code>]]
                        tell how far the codes of its presales are used; of one presale: of each code, or of that code
  ledger verify         recompute the books from their rows and say what does not agree; 1 if anything
  ledger balance [<event>]
                        the trial balance, of everything or of one event
  ledger statement <organiser> [<event>] [-from <day>] [-until <day>]
                        what an organiser is owed and why, as CSV; days are UTC, until is not in it
  ledger payout <event> <amount> <reference>
                        book money that was sent to the event's organiser, once for each reference of the bank
  webhook list          the notices of providers that match no payment or could not be read
  webhook resend <provider> <id>
                        read a stored notice again, which is harmless
  event cancel <event> [-amount <amount> -why <text>]
                        say what cancelling an event gives back; with that amount and a reason, do it
  event report <event>  how far a cancellation is
  reconcile [-from <day>] [-until <day>]
                        compare the providers' reports (of the last 3 days) with the books and the places; 1 if a break is open
  breaks [all]          list the differences that are open, or all there were
  breaks close <number> -why <text>
                        say that one is explained
  payments              say whether new payments are taken, and why not
  payments on|off <provider> -why <text>
                        take new payments again, or stop
  version               print the version
  help                  print this text

Environment (default):
  BOOKINGD_DATABASE_URL             PostgreSQL as the application's role ropeline_app; required by serve
  BOOKINGD_OWNER_DATABASE_URL       PostgreSQL as the owner of the schema; required by migrate, used by import
  BOOKINGD_MAPS_DATABASE_URL        PostgreSQL that seat maps are read from, such as a replica (BOOKINGD_DATABASE_URL)
  BOOKINGD_DATABASE_CONNS           connections to PostgreSQL, beside the 8 of the lanes of holds (16)
  BOOKINGD_LISTEN                   address of the API and the storefront (127.0.0.1:9000)
  BOOKINGD_INTERNAL_LISTEN          address of /metrics, /telemetry, /healthz and /readyz (127.0.0.1:9001)
  BOOKINGD_TRUSTED_PROXIES          networks whose X-Forwarded-For is believed (127.0.0.0/8,::1/128)
  BOOKINGD_ORIGIN_SECRETS           what edges show (origin_secret), two while it is changed: nobody else gets in (none)
  BOOKINGD_TELEMETRY_SECRETS        what edges on other machines show for /telemetry (telemetry_secret), two while it is changed (none: this machine alone)
  BOOKINGD_PASS                     required, or off: sell without a waiting room, for development (required)
  BOOKINGD_PASS_ROOM                the waiting room whose passes are accepted (boxoffice)
  BOOKINGD_PASS_JWKS_URL            its keys: http://<edge>/.well-known/ropeline/<room>/jwks.json
  BOOKINGD_DEV_ISSUER               on, or off: the sign-in page where anybody becomes anybody (off)
  BOOKINGD_ISSUER_KEY_FILE          key of account tokens; made when the issuer is on (issuer-key.pem)
  BOOKINGD_TICKET_KEY_FILE          key of ticket codes; made when the issuer is on (ticket-key.pem)
  BOOKINGD_FAKEPAY_URL              API of the payment provider (http://127.0.0.1:9100)
  BOOKINGD_FAKEPAY_PUBLIC_URL       where a browser finds its card form (/fakepay)
  BOOKINGD_FAKEPAY_WEBHOOK_SECRETS  comma list; any of them verifies a notice; required by serve without Stripe
  BOOKINGD_STRIPE_KEY               secret API key: new payments go to Stripe (none)
  BOOKINGD_STRIPE_WEBHOOK_SECRETS   comma list of signing secrets of the endpoint /webhooks/stripe
  BOOKINGD_STRIPE_CARD_PAGE         the shop's page with Stripe's card element; comes back with card_token (/card)
  BOOKINGD_STRIPE_URL               another address of the API, as of stripe-mock (Stripe's)
  BOOKINGD_HOLDS_PER_MINUTE         tries to hold, of a buyer and of a network (/24, /56), or off; a third at once (60,150)
  BOOKINGD_PAYMENTS_PER_MINUTE      tries to pay, likewise (15,60)
  BOOKINGD_PAYMENT_LIMIT            calls to the payment provider at once and a second that its contract allows this process, as in 20,80, or off (off)
  BOOKINGD_SWEEP                    on, or off: the loop that folds expired holds in; nothing depends on it (on)
  BOOKINGD_DRAIN                    how long /readyz says no before the listener closes (0s)
`
