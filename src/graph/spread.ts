/**
 * Work on many calls in several turns of the loop: a message may hold a thousand, and the host is not theirs to hold.
 * Keeps the order; changes nothing about what is done.
 */

/** Calls that are looked at in one turn of the loop: more than a turn's default cap, so that ordinary turns never wait. */
const AT_ONCE = 50;

export async function spread<Item, Made>(
  items: readonly Item[],
  make: (item: Item, index: number) => Made | Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    if (start > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    const some = items.slice(start, start + AT_ONCE);
    made.push(...(await Promise.all(some.map((item, index) => make(item, start + index)))));
  }
  return made;
}
