/**
 * Attacks on the deadline: programs that never end, in script, in microtasks, in timers, and in built-ins that nothing
 * but SIGKILL ends. The limit holds for each of them, and for many at once.
 */

import { describe, expect, it } from "vitest";
import { describeAttacks, SLACK_MS, useAttackedSandbox } from "./attack.ts";

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
