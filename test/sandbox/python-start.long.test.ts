/**
 * The first Python program of a host waits for workers to come up: no longer than its signal, and no longer than a call may
 * wait for a worker. What it waited for comes up all the same, for the next one.
 */

import { describe, expect, it } from "vitest";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Sandbox } from "../../src/types.ts";

const withPython = { workers: 1, standby: 0, startTimeoutMs: 60_000, python: { workers: 1, prepared: 1 } } as const;

/** The next program that is patient. */
async function untilUp(sandbox: Sandbox): Promise<unknown> {
  for (;;) {
    const observation = await sandbox.run({ language: "python", source: "6 * 7", limits: { timeoutMs: 20_000 } });
    if (observation.status !== "queue_timeout") return observation;
  }
}

describe("the first Python program", () => {
  it("that was cancelled before starts no worker, and is told so", async () => {
    await using sandbox = await createSandbox(withPython);
    const observation = await sandbox.run({ language: "python", source: "1", signal: AbortSignal.abort() });
    expect(observation).toMatchObject({ status: "cancelled", usage: { queueMs: 0 } });
  });

  it("that is cancelled while workers come up ends then, and the next one runs", async () => {
    await using sandbox = await createSandbox({ ...withPython, limits: { queueTimeoutMs: 60_000 } });
    const controller = new AbortController();
    const running = sandbox.run({ language: "python", source: "1", signal: controller.signal });
    const inspecting = sandbox.inspect({ language: "python", source: "1", signal: controller.signal });
    controller.abort(new Error("enough"));
    expect(await running).toMatchObject({ status: "cancelled" });
    await expect(inspecting).rejects.toThrow("enough");
    expect(await untilUp(sandbox)).toMatchObject({ ok: true, result: 42 });
  });

  it("waits as long as a call may wait, which is told as waiting", async () => {
    await using sandbox = await createSandbox({ ...withPython, limits: { queueTimeoutMs: 20 } });
    const observation = await sandbox.run({ language: "python", source: "1" });
    expect(observation).toMatchObject({ ok: false, status: "queue_timeout" });
    expect(observation.usage.queueMs).toBeGreaterThanOrEqual(19);
    expect(await untilUp(sandbox)).toMatchObject({ ok: true, result: 42 });
  });

  it("ends as cancelled where the sandbox is closed while it waits", async () => {
    const sandbox = await createSandbox({ ...withPython, limits: { queueTimeoutMs: 60_000 } });
    const running = sandbox.run({ language: "python", source: "1" });
    await sandbox.close();
    expect(await running).toMatchObject({ status: "cancelled" });
  });
});
