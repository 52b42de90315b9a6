// What the API's codes mean to a person. An answer's own detail is used where it
// says more than the code does.

const BY_CODE = {
  no_answer: 'We got no answer. Nothing is lost: check your connection and press the button again. It will not be done twice.',
  hold_expired: 'Your time ran out and what you held went back on sale. Please choose again.',
  hold_released: 'What you held was given back. Please choose again.',
  session_taken_over: 'This place in line is being used by another sign-in. Please go on there, or sign in again here.',
  not_on_sale: 'This is not on sale right now.',
  payment_unknown: 'We do not know yet whether your payment went through. Please wait: paying again could charge you twice.',
  payment_in_progress: 'A payment of this order is already under way.',
  already_paid: 'This order is already paid.',
  payments_off: 'We have paused payments for a moment to check our records. Nothing was charged; what you hold stays yours until the time runs out.',
  limit_exceeded: 'That is more than one person can buy here. What you already bought counts as well.',
  not_enough_places: 'There are not enough places left. Please choose fewer.',
  seat_taken: 'Some of your seats were taken a moment ago.',
  not_found: 'We could not find that. It may belong to another account.',
  overloaded: 'The box office is very busy. Please try again in a moment.',
  crowded: 'Very many people are buying at this moment, and your turn did not come in time. Nothing was changed: please try again in a moment.',
  busy: 'The box office is very busy. Please try again in a moment.',
  outcome_unknown: 'We do not know yet whether that worked. Press the button again: it will not be done twice.',
  idempotency_in_progress: 'That is still being worked on. Please try again in a moment.',
};

export function words(problem) {
  const known = BY_CODE[problem.code];
  if (known) return known;
  if (problem.status >= 500) return 'Something went wrong on our side. Nothing of yours is lost; please try again.';
  if (problem.status && problem.message) return problem.message;
  return 'Something went wrong on this page. Please reload it.';
}
