// Holding needs an account. Who presses the button without one signs in, and what
// was pressed then happens by itself: pressing it twice for one wish is a trap,
// since others take the seats in between.

export const signedIn = document.body.dataset.account === 'yes';

const NAME = 'rl.then.hold'; // of the tab; another tab's sign-in starts nothing here

// goOnAfterSignIn remembers that the visitor wanted to hold in this event.
export function goOnAfterSignIn(event, store = sessionStorage) {
  try {
    store.setItem(NAME, event);
  } catch {
    // Storage forbidden: the button must be pressed again.
  }
}

// goingOn says, once, whether that is to be done now: the visitor came back to
// the same event with an account.
export function goingOn(event, inside = signedIn, store = sessionStorage) {
  try {
    const wanted = store.getItem(NAME) === event;
    store.removeItem(NAME);
    return wanted && inside;
  } catch {
    return false;
  }
}
