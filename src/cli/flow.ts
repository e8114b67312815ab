/**
 * Maps a stream in order, with a bound on what is under way: a slow writer stops the reader, a slow reader holds up no answer.
 * Must not buffer without bound, and must not reorder.
 */

export interface FlowLimits {
  /** Pieces of work at the same time. */
  readonly concurrency: number;
  /** Items between being read and being written, whatever they wait for. */
  readonly window: number;
}

/** A counter that lets at most `size` holders in; the others wait in order. */
class Gate {
  #free: number;
  readonly #waiting: Array<() => void> = [];

  constructor(size: number) {
    this.#free = size;
  }

  async enter(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}

/**
 * Calls `work` for each item of `source` and `write` with each result, in the order of `source`.
 * Rejects with the first fault of reading, working or writing; work that is under way is then left alone.
 */
export async function mapInOrder<In, Out>(
  source: AsyncIterable<In>,
  limits: FlowLimits,
  work: (item: In) => Promise<Out>,
  write: (result: Out) => Promise<void>,
): Promise<void> {
  const window = new Gate(limits.window);
  const workers = new Gate(limits.concurrency);
  const underWay: Array<Promise<Out>> = [];
  const end = Symbol("end");
  let announce: () => void = () => {};
  let ended = false;
  let failed = false;

  async function begin(item: In): Promise<Out> {
    await workers.enter();
    try {
      return await work(item);
    } finally {
      workers.leave();
    }
  }

  async function readAll(): Promise<void> {
    for await (const item of source) {
      await window.enter();
      if (failed) return;
      const result = begin(item);
      result.catch(() => {}); // Read by the writer when its turn comes; until then it must not count as unhandled.
      underWay.push(result);
      announce();
    }
    ended = true;
    announce();
  }

  async function nextResult(): Promise<Out | typeof end> {
    while (underWay.length === 0) {
      if (ended) return end;
      await new Promise<void>((resolve) => {
        announce = resolve;
      });
    }
    return await (underWay.shift() as Promise<Out>);
  }

  async function writeAll(): Promise<void> {
    for (let result = await nextResult(); result !== end; result = await nextResult()) {
      await write(result);
      window.leave();
    }
  }

  try {
    await Promise.all([readAll(), writeAll()]);
  } finally {
    failed = true;
  }
}
