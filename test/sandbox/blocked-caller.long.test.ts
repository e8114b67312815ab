/**
 * Limits while the caller's event loop is blocked: the deadline is kept by the supervisor thread and the isolate,
 * so that a caller that is busy neither keeps a program alive nor makes a quick one slow.
 */

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/limits.ts";
import type { Observation } from "../../src/types.ts";
import { runHost } from "../fixtures/run-host.ts";

interface Report {
  observations: Observation[];
  answeredMs: number;
  workers: number;
  survivors: number;
  next: Observation;
}

async function runBlocked(blockMs: number, sources: readonly string[], limits: object = {}): Promise<Report> {
  const host = await runHost("blocked-host.ts", [String(blockMs), JSON.stringify(sources), JSON.stringify(limits)]);
  expect(host).toMatchObject({ code: 0, stderr: "" });
  return host.lines[0] as Report;
}

/** The block itself, and the start of a host with a worker for each program. */
const PATIENCE_MS = 90_000;
const LIMIT_MS = LIMITS.timeoutMs.default;
/** The latest end that counts as in time, with half a second for a machine that is busy. */
const LATEST_MS = LIMIT_MS + LIMITS.killGraceMs.default + 500;
const BOMBS = [
  "console.log('before'); while (true);",
  "console.log('before'); new Array(2 ** 27).fill(0)",
  "console.log('before'); 2n ** (2n ** 29n)",
  "console.log('before'); throw { get message() { for (;;); } }",
  "console.log('before'); Promise.reject({ get message() { for (;;); } }); await new Promise((done) => setTimeout(done, 5))",
];

describe("with the caller's loop blocked for longer than the limit", () => {
  it(
    "every bomb is answered within its limit, what it printed is kept, and the next run is right",
    async () => {
      const { observations, workers, survivors, next } = await runBlocked(5000, BOMBS);
      expect(observations).toHaveLength(BOMBS.length);
      for (const observation of observations) {
        expect(observation.ok).toBe(false);
        expect(["timeout", "memory_limit", "error"]).toContain(observation.status);
        expect(observation.stdout).toEqual(["before"]);
        expect(observation.usage.wallMs).toBeLessThan(LATEST_MS);
      }
      expect(observations[0]).toMatchObject({ status: "timeout" });
      // Those that only SIGKILL ends were ended while the loop was blocked.
      expect(survivors).toBeLessThan(workers);
      expect(next).toMatchObject({ ok: true, result: [2, 4] });
    },
    PATIENCE_MS,
  );

  it(
    "a quick program is no slow one, as far as its answer fits into the pipe",
    async () => {
      const sources = ["'done'", "'x'.repeat(60_000)", "for (let n = 0; n < 100; n++) console.log('x'.repeat(100)); 1"];
      const { observations } = await runBlocked(2500, sources);
      expect(observations.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
      for (const { usage } of observations) expect(usage.wallMs).toBeLessThan(LIMIT_MS);
    },
    PATIENCE_MS,
  );
});

describe("with the caller's loop blocked for less than the limit", () => {
  it(
    "the deadline does not move",
    async () => {
      const { observations, answeredMs } = await runBlocked(800, ["[].reverse.call({ length: 2 ** 53 - 1 })"]);
      expect(observations[0]).toMatchObject({ status: "timeout" });
      expect(observations[0]?.usage.wallMs).toBeLessThan(LATEST_MS);
      expect(answeredMs).toBeLessThan(LATEST_MS + 1000);
    },
    PATIENCE_MS,
  );
});
