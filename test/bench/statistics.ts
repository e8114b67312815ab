/**
 * The few numbers that are told of many measurements. Medians and percentiles only: a mean on a busy machine says
 * how busy it was.
 */

/** The value below which the given part of the samples lies; NaN where there are none. */
export function percentile(samples: readonly number[], part: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[(sorted.length >> 1) - 1] ?? Number.NaN) + upper) / 2;
}

/** Milliseconds that one call takes. */
export async function timeMs(call: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await call();
  return performance.now() - started;
}

/** The middle, the slow end, and the fast end, which other work on the machine moves least. */
export function summarize(samples: readonly number[]): { p10Ms: number; p50Ms: number; p99Ms: number } {
  return { p10Ms: percentile(samples, 0.1), p50Ms: median(samples), p99Ms: percentile(samples, 0.99) };
}

/** What lies between two calls of a caller that rests: a model thinks before it calls again. */
export const PACE_MS = 5;

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
