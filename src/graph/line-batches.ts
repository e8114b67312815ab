/**
 * Printed lines on their way into a stream: the first at once, then what has gathered, at most every 50 ms.
 * Keeps order and loses no line; a program that prints a thousand lines must not cost a thousand events.
 */

const EVERY_MS = 50;

export interface LineBatches {
  add(line: string): void;
  /** Gives out what is left. Lines that are added later are dropped. */
  end(): void;
}

export function createLineBatches(give: (lines: string[]) => void): LineBatches {
  let waiting: string[] = [];
  let timer: NodeJS.Timeout | null = null;
  let hasEnded = false;

  const giveWaiting = (): void => {
    timer = null;
    if (waiting.length === 0) return;
    const lines = waiting;
    waiting = [];
    if (!hasEnded) timer = setTimeout(giveWaiting, EVERY_MS);
    give(lines);
  };

  return {
    add(line) {
      if (hasEnded) return;
      waiting.push(line);
      if (timer === null) giveWaiting();
    },
    end() {
      hasEnded = true;
      if (timer !== null) clearTimeout(timer);
      giveWaiting();
    },
  };
}
