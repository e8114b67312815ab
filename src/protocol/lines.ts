/**
 * How many lines a program has: the same number whoever tells it.
 * Counts and nothing else.
 */

/** A line feed at the end ends a line and begins none. */
export function countLines(source: string): number {
  let lines = 1;
  for (let at = source.indexOf("\n"); at >= 0 && at < source.length - 1; at = source.indexOf("\n", at + 1)) lines++;
  return lines;
}
