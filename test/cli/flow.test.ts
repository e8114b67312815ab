/**
 * Work in order with a bound on what is under way: for a slow writer, a slow worker and a reader that waits.
 * No process, no sandbox; time is moved by hand.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mapInOrder } from "../../src/cli/flow.ts";

/** Resolves after a few turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("mapInOrder", () => {
  it("writes in the order of the input, whatever the work takes", async () => {
    const delays = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(delays, fc.integer({ min: 1, max: 4 }), async (items, concurrency) => {
        const written: number[] = [];
        const numbered = items.map((delay, index) => ({ delay, index }));
        await mapInOrder(
          toAsync(numbered),
          { concurrency, window: 4 * concurrency },
          async ({ delay, index }) => {
            await turns(delay);
            return index;
          },
          async (index) => void written.push(index),
        );
        expect(written).toEqual(numbered.map(({ index }) => index));
      }),
      { numRuns: 30 },
    );
  });

  it("never works on more than it may, and never reads ahead more than the window", async () => {
    let working = 0;
    let mostWorking = 0;
    let read = 0;
    let written = 0;
    let mostAhead = 0;
    async function* source() {
      for (let index = 0; index < 200; index++) {
        read++;
        mostAhead = Math.max(mostAhead, read - written);
        yield index;
      }
    }
    await mapInOrder(
      source(),
      { concurrency: 3, window: 12 },
      async (index) => {
        mostWorking = Math.max(mostWorking, ++working);
        await turns(index % 3);
        working--;
      },
      async () => {
        await turns(1);
        written++;
      },
    );
    expect(mostWorking).toBe(3);
    // One more than the window: it has been read and waits to get in.
    expect(mostAhead).toBeLessThanOrEqual(13);
  });

  it("answers an item while the reader still waits for the next", async () => {
    const written: string[] = [];
    let release: () => void = () => {};
    async function* source() {
      yield "first";
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    }
    const limits = { concurrency: 2, window: 8 };
    const done = mapInOrder(
      source(),
      limits,
      async (item) => item,
      async (item) => void written.push(item),
    );
    await turns(3);
    expect(written).toEqual(["first"]);
    release();
    await done;
  });

  it("ends with the first fault of work, of writing and of reading", async () => {
    const limits = { concurrency: 2, window: 8 };
    const fail = async () => {
      throw new Error("fault");
    };
    const pass = async () => {};
    await expect(mapInOrder(toAsync([1, 2, 3]), limits, fail, pass)).rejects.toThrow("fault");
    await expect(mapInOrder(toAsync([1, 2, 3]), limits, pass, fail)).rejects.toThrow("fault");
    async function* source() {
      yield 1;
      throw new Error("fault");
    }
    await expect(mapInOrder(source(), limits, pass, pass)).rejects.toThrow("fault");
  });
});

async function* toAsync<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
