/**
 * One row of the benchmark: what was measured, what is wanted, what was seen. Words are made here, from numbers,
 * so that the table and the JSON cannot differ.
 */

export interface Row {
  what: string;
  /** A bound in words; null where the row only informs. */
  wanted: string | null;
  seen: string;
  /** Null where nothing is wanted, or where there was nothing to measure. */
  ok: boolean | null;
  values: Record<string, number>;
}

export interface Wanted {
  words: string;
  isMet: boolean;
}

/** Milliseconds with the digits that mean something. */
export function showMs(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0)} ms`;
}

export function showRate(perSecond: number): string {
  return `${Math.round(perSecond)} a second`;
}

export function atMost(seen: number, bound: number, words: string): Wanted {
  return { words, isMet: seen <= bound };
}

export function atLeast(seen: number, bound: number, words: string): Wanted {
  return { words, isMet: seen >= bound };
}

export function row(what: string, seen: string, values: Record<string, number>, wanted?: Wanted): Row {
  const rounded = Object.entries(values).map(([name, value]) => [name, Math.round(value * 10_000) / 10_000] as const);
  const [words, ok] = wanted ? [wanted.words, wanted.isMet] : [null, null];
  return { what, wanted: words, seen, ok, values: Object.fromEntries(rounded) };
}

/** Something that this machine does not have. */
export function absentRow(what: string): Row {
  return row(what, "not on this machine", {});
}
