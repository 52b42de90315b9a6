// What the API's codes mean to a person: the names of texts. An answer's own
// sentence is in English and for programs; it is not shown.

const BY_CODE = {
  no_answer: 'problemNoAnswer',
  hold_expired: 'problemHoldExpired',
  hold_released: 'problemHoldReleased',
  hold_sold: 'problemHoldSold',
  session_taken_over: 'problemTakenOver',
  not_on_sale: 'problemNotOnSale',
  payment_unknown: 'problemUnknown',
  payment_in_progress: 'problemPaying',
  capture_pending: 'problemPaying',
  already_paid: 'problemPaid',
  payments_off: 'problemPaused',
  limit_exceeded: 'problemLimit',
  not_enough_places: 'problemPlaces',
  seat_taken: 'problemTaken',
  seat_kept: 'problemKept',
  orphan_seat: 'problemOrphan',
  hold_budget: 'problemBudget',
  invalid_code: 'problemCode',
  too_many_codes: 'problemOften',
  too_many_requests: 'problemOften',
  price_changed: 'problemPrice',
  order_cancelled: 'problemCancelled',
  nothing_to_cancel: 'problemOver',
  refund_closed: 'problemRefundClosed',
  lines_returned: 'problemRefundClosed',
  offer_changed: 'problemOffer',
  request_waiting: 'problemWaiting',
  not_found: 'problemNotFound',
  overloaded: 'problemBusy',
  crowded: 'problemCrowded',
  busy: 'problemBusy',
  not_ready: 'problemBusy',
  unavailable: 'problemBusy',
  outcome_unknown: 'problemOutcome',
  idempotency_in_progress: 'problemInProgress',
};

// words returns the name of a text.
export function words({ code, status }) {
  if (code === 'too_many_attempts') return status === 429 ? 'problemOften' : 'problemCards'; // codes typed, or cards tried
  if (BY_CODE[code]) return BY_CODE[code];
  if (status >= 500) return 'problemOurs';
  return status ? 'problemRefused' : 'problemPage';
}
