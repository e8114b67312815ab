/**
 * What every row is measured with: the same small program, the same worker Node, the same effort.
 * A call whose answer is wrong is no measurement: it throws.
 */

import type { Sandbox } from "../../src/types.ts";

/** The program of every latency and rate. */
export const PROGRAM = "const result = [1, 2, 3].map((x) => x * 2)";
/** The same work for what has no notion of `result`. */
export const EXPRESSION = "JSON.stringify([1, 2, 3].map((x) => x * 2))";
export const ANSWER = "[2,4,6]";

export interface Subject {
  /** With default options, its workers warm. */
  sandbox: Sandbox;
  workers: number;
  /** Path of the Node that the workers run on. */
  workerNode: string;
  isQuick: boolean;
}

/** The full figure, or the short one of a quick run. */
export function scale({ isQuick }: Pick<Subject, "isQuick">, full: number, quick: number): number {
  return isQuick ? quick : full;
}

/** So many rounds, or fewer where a busy machine would make them take longer than `budgetMs`; never none. */
export function* takeRounds(count: number, budgetMs: number): Generator<number> {
  const started = performance.now();
  for (let round = 0; round < count; round++) {
    if (round > 0 && performance.now() > started + budgetMs) return;
    yield round;
  }
}

export function expectAnswer(given: string): void {
  if (given.trim() !== ANSWER) throw new Error(`expected ${ANSWER}, got ${given.slice(0, 100)}`);
}

/** One run of the program, checked. */
export async function runProgram(sandbox: Sandbox): Promise<void> {
  const observation = await sandbox.run({ language: "javascript", source: PROGRAM });
  expectAnswer(JSON.stringify(observation.result ?? observation.status));
}
