/**
 * Attacks on the deadline: programs that never end, in script, in microtasks, in timers, and in built-ins that nothing
 * but SIGKILL ends. The limit holds for each of them, and for many at once.
 */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createFakePool } from "../fixtures/fake-pool.ts";
import { listLeaves, listSurvivors } from "../studio/process-tree.ts";
import { describeAttacks, SLACK_MS, useAttackedSandbox } from "./attack.ts";

const HEADLESS_WORKER = fileURLToPath(new URL("../fixtures/headless-worker.py", import.meta.url));

const inUse = useAttackedSandbox();
describeAttacks("deadline", inUse);

describe("many endless programs at once", () => {
  it("are each ended by their own limit, and the calls behind them are served", async () => {
    const endless = ["for (;;);", "[].reverse.call({ length: 2 ** 53 - 1 })", "for (;;) await 0"];
    const asked = Array.from({ length: 3 }, (_, index) => endless[index] ?? "");
    const attacks = asked.map((source) => inUse.run(source, { limits: { timeoutMs: 200 } }));
    const behind = [1, 2, 3, 4].map((n) => inUse.run(`${n}`, { limits: { timeoutMs: 10_000 } }));
    for (const observation of await Promise.all(attacks)) {
      expect(observation).toMatchObject({ status: "timeout", error: "Timeout" });
      expect(observation.usage.wallMs).toBeLessThanOrEqual(200 + SLACK_MS);
    }
    expect((await Promise.all(behind)).map(({ result }) => result)).toEqual([1, 2, 3, 4]);
  });
});

describe("a limit", () => {
  it.each([50, 500])("of %i ms is kept, neither sooner nor much later", async (timeoutMs) => {
    const observation = await inUse.run("for (;;);", { limits: { timeoutMs } });
    expect(observation.status).toBe("timeout");
    expect(observation.usage.wallMs).toBeGreaterThanOrEqual(timeoutMs - 1);
    expect(observation.usage.wallMs).toBeLessThanOrEqual(timeoutMs + SLACK_MS);
  });

  it("is not met by a program that is just quick enough, nor by the virtual time that it waits", async () => {
    const source = "await new Promise((done) => setTimeout(done, 86_400_000)); 1";
    expect(await inUse.run(source, { limits: { timeoutMs: 5000 } })).toMatchObject({ ok: true, result: 1 });
  });
});

const PYTHON = "/usr/bin/python3";
const REASON = `skipped where there is no Linux or no ${PYTHON}, which can end its first thread alone`;
const isHere = process.platform === "linux" && (existsSync(PYTHON) || process.env.SALLYPORT_TEST_REQUIRE === "all");

// Its memory cannot be seen any more, as that of a process which has ended: it must not be taken for one.
describe.skipIf(!isHere)(`a worker that was taken over (${REASON})`, () => {
  it("and ended its first thread only is ended with the others", async () => {
    await using fake = await createFakePool({ program: HEADLESS_WORKER, path: PYTHON });
    const [worker] = listLeaves(process.pid).filter(({ pid }) => pid === fake.started[0]?.pid);
    expect(worker).toBeDefined();
    const observation = await fake.run({ limits: { timeoutMs: 60_000 } });
    expect(observation).toMatchObject({ ok: false, status: "crashed" });
    expect(observation.usage.wallMs).toBeLessThan(20_000);
    expect(listSurvivors(worker ? [worker] : [])).toEqual([]);
  });
});
