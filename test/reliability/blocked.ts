/**
 * The row of a caller whose event loop is blocked: bombs end at their own limits all the same.
 */

import { LIMITS } from "../../src/limits.ts";
import type { Observation } from "../../src/types.ts";
import { runHost } from "../fixtures/run-host.ts";
import { type Effort, judge, type Row } from "./effort.ts";

const BOMBS = [
  "console.log('before'); while (true);",
  "console.log('before'); new Array(2 ** 27).fill(0)",
  "console.log('before'); 2n ** (2n ** 29n)",
  "console.log('before'); throw { get message() { for (;;); } }",
  "console.log('before'); [].reverse.call({ length: 2 ** 53 - 1 })",
];
const BLOCK_MS = 4000;
const LATEST_MS = LIMITS.timeoutMs.default + 500;

interface Report {
  observations: Observation[];
  next: Observation;
}

export async function measureBlocked({ launchers }: Effort): Promise<Row[]> {
  const rows: Row[] = [];
  for (const containment of launchers) {
    const { code, lines } = await runHost("blocked-host.ts", [
      String(BLOCK_MS),
      JSON.stringify(BOMBS),
      "{}",
      containment,
    ]);
    const { observations = [], next } = (lines[0] ?? {}) as Partial<Report>;
    const highestMs = Math.max(0, ...observations.map(({ usage }) => usage.wallMs));
    rows.push(
      judge(
        `blocked caller, ${containment}`,
        `bombs end at most at limit + 500 ms with the caller's loop blocked for ${BLOCK_MS} ms, output kept, next run right`,
        `${observations.map(({ status }) => status).join(", ")}; at most ${highestMs.toFixed(0)} ms`,
        {
          "answered, output kept":
            code === 0 &&
            observations.length === BOMBS.length &&
            observations.every(({ stdout }) => stdout[0] === "before"),
          "ended by their limits": observations.every(({ ok }) => !ok),
          "next run right": JSON.stringify(next?.result) === "[2,4]",
        },
        { "in time": highestMs <= LATEST_MS },
      ),
    );
  }
  return rows;
}
