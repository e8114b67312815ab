/**
 * Holds the host's event loop as long as something of a sandbox is waited for, and no longer. What ends a wait may come by a
 * handle that holds nothing, or by none: the loop would then run dry, and the host end in the middle of its `await`.
 */

/** The longest that a timer takes: it has nothing to do when it is over. */
const LONGEST_MS = 2 ** 31 - 1;

let holds = 0;
let timer: NodeJS.Timeout | undefined;

function hold(): void {
  // Made anew each time: one that somebody's test has made under a false clock is gone with that clock.
  if (holds++ === 0) timer = setInterval(() => {}, LONGEST_MS);
}

function letGo(): void {
  if (--holds === 0) clearInterval(timer);
}

/** Holds the loop until the work has come to its end. The work begins at once, in this turn of the loop. */
export async function whileHeld<T>(work: () => Promise<T>): Promise<T> {
  hold();
  try {
    return await work();
  } finally {
    letGo();
  }
}

/** What one worker holds the loop by while it starts, which it does from the first, and while it ends. */
export class LoopHold {
  #isHeld = true;
  #isEnding = false;

  constructor() {
    hold();
  }

  #letGo(): void {
    if (this.#isHeld) letGo();
    this.#isHeld = false;
  }

  /** It is ready. One that ends has no start any more, whatever it still says. */
  started(): void {
    if (!this.#isEnding) this.#letGo();
  }

  /** It begins to end: told twice, it is held once. */
  ending(): void {
    if (!this.#isHeld) hold();
    this.#isHeld = true;
    this.#isEnding = true;
  }

  ended(): void {
    this.#letGo();
  }
}
