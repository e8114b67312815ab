/**
 * The pool around real workers: its queue, its limits, its end. Whatever happens every call settles once,
 * and after close no process is left.
 */

import { afterEach, describe, expect, it, vi } from "vitest";
import type { SandboxOptions } from "../../src/options.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Observation, Sandbox } from "../../src/types.ts";
import { createFakePool } from "../fixtures/fake-pool.ts";
import { runHost } from "../fixtures/run-host.ts";
import { PATIENT, useSandbox } from "../fixtures/use-sandbox.ts";
import { listLeaves, listSurvivors, type ProcessMark } from "../studio/process-tree.ts";

function listWorkers(): ProcessMark[] {
  return listLeaves(process.pid);
}

function runOn(sandbox: Sandbox, source: string, timeoutMs = 5000): Promise<Observation> {
  return sandbox.run({ language: "javascript", source, limits: { timeoutMs } });
}

const small: SandboxOptions = { ...PATIENT, workers: 1, standby: 0 };

describe("a sandbox whose workers are busy", () => {
  it("lets calls wait their turn, and serves them in order", async () => {
    await using fake = await createFakePool();
    const ended: number[] = [];
    const asked = [0, 1, 2, 3, 4, 5, 6, 7];
    await Promise.all(asked.map((index) => fake.run().then(() => ended.push(index))));
    expect(ended).toEqual(asked);
  });

  it("says at once that its queue is full, and how many wait", async () => {
    await using fake = await createFakePool({ behaviours: ["hangs", "honest"], maxQueue: 1 });
    const controller = new AbortController();
    const busy = fake.run({ signal: controller.signal });
    const waiting = fake.run();
    const refused = await fake.run();
    expect(refused).toMatchObject({ status: "unavailable", error: "Unavailable", stdout: [] });
    expect(refused.message).toMatch(/queue is full: 1 calls wait/);
    controller.abort();
    expect(await busy).toMatchObject({ status: "cancelled" });
    expect(await waiting).toMatchObject({ ok: true, result: 1 });
  });

  it("has no queue at all where none is allowed", async () => {
    await using fake = await createFakePool({ behaviours: ["hangs"], maxQueue: 0 });
    const controller = new AbortController();
    const busy = fake.run({ signal: controller.signal });
    expect(await fake.run()).toMatchObject({ status: "unavailable" });
    controller.abort();
    await busy;
  });

  it.each([0, 100])("says when none became free within %i ms, and has not run the code", async (queueTimeoutMs) => {
    await using fake = await createFakePool({ behaviours: ["hangs"], queueTimeoutMs });
    const controller = new AbortController();
    const busy = fake.run({ signal: controller.signal });
    const late = await fake.run();
    expect(late).toMatchObject({ status: "queue_timeout", error: "QueueTimeout", stdout: [] });
    expect(late.usage.queueMs).toBeGreaterThanOrEqual(queueTimeoutMs - 1);
    expect(late.usage.wallMs).toBe(0);
    controller.abort();
    await busy;
  });

  it("gives up on a worker no more than a millisecond early, whatever part of one went before", async () => {
    const queueTimeoutMs = 7;
    await using fake = await createFakePool({ behaviours: ["hangs"], queueTimeoutMs });
    const controller = new AbortController();
    const busy = fake.run({ signal: controller.signal });
    const waitedMs: number[] = [];
    for (let call = 0; call < 40; call += 1) waitedMs.push((await fake.run()).usage.queueMs);
    // A timer counts whole milliseconds from the start of the one that it was set in.
    expect(Math.min(...waitedMs)).toBeGreaterThanOrEqual(queueTimeoutMs - 1);
    controller.abort();
    await busy;
  });

  it("answers each of many calls once, with its own result", async () => {
    await using sandbox = await createSandbox({ ...PATIENT, workers: 2, runsPerWorker: 30 });
    const asked = Array.from({ length: 100 }, (_, index) => index);
    const answered = await Promise.all(asked.map((index) => runOn(sandbox, `console.log(${index}); ${index} * 2`)));
    expect(answered.map(({ result }) => result)).toEqual(asked.map((index) => index * 2));
    expect(answered.map(({ stdout }) => stdout)).toEqual(asked.map((index) => [`${index}`]));
  });
});

describe("close", () => {
  afterEach(() => {
    expect(listWorkers()).toEqual([]);
  });

  it("settles what is active and what waits, and leaves no process", async () => {
    const sandbox = await createSandbox({ ...PATIENT, workers: 2, standby: 1 });
    await vi.waitFor(() => expect(listWorkers()).toHaveLength(3), { timeout: 10_000 });
    const workers = listWorkers();
    const runs = Array.from({ length: 6 }, () => runOn(sandbox, "for (;;);", 30_000));
    const settled = Promise.allSettled(runs);
    await sandbox.close();
    expect(listSurvivors(workers)).toEqual([]);
    expect(listWorkers()).toEqual([]);
    for (const end of await settled) {
      expect(end).toMatchObject({ status: "fulfilled", value: { status: "cancelled", error: "Cancelled" } });
    }
  });

  it("ends a worker in the middle of what nothing interrupts, may be called again, and a run after it is POOL_CLOSED", async () => {
    const sandbox = await createSandbox(small);
    const run = runOn(sandbox, "[].reverse.call({ length: 2 ** 53 - 1 })", 30_000);
    await Promise.all([sandbox.close(), sandbox.close()]);
    expect(await run).toMatchObject({ status: "cancelled" });
    await sandbox.close();
    await sandbox[Symbol.asyncDispose]();
    await expect(runOn(sandbox, "1")).rejects.toMatchObject({ name: "SandboxError", code: "POOL_CLOSED" });
    await expect(sandbox.inspect({ language: "javascript", source: "1" })).rejects.toMatchObject({
      code: "POOL_CLOSED",
    });
  });

  it("right after the start ends the workers that are still coming up", async () => {
    const sandbox = await createSandbox({ ...PATIENT, workers: 3, standby: 1 });
    await sandbox.close();
    expect(listWorkers()).toEqual([]);
  });

  it("ends the inspectors as well", async () => {
    const sandbox = await createSandbox(small);
    await sandbox.inspect({ language: "javascript", source: "1" });
    expect(listWorkers().length).toBeGreaterThanOrEqual(2);
    await sandbox.close();
  });
});

describe("a worker", () => {
  it("is recycled after its runs, and runs in between go on", async () => {
    await using fake = await createFakePool({ runsPerWorker: 3 });
    for (let run = 0; run < 9; run++) expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    expect(fake.started.slice(0, 3).map(({ runs }) => runs)).toEqual([3, 3, 3]);
    expect(
      fake.started
        .slice(0, 3)
        .map(({ hasEnded }) => hasEnded)
        .slice(0, 2),
    ).toEqual([true, true]);
  });

  describe("that is the only one", () => {
    const inUse = useSandbox(small);

    it.each([
      ["a timeout", "for (;;);", 200],
      ["a memory limit", "const kept = []; for (;;) kept.push(new Array(1e5).fill(1.5))", 20_000],
    ])("is replaced after %s", async (_, source, timeoutMs) => {
      const workers = listWorkers();
      expect(await runOn(inUse.sandbox, source, timeoutMs)).toMatchObject({ ok: false });
      expect(await runOn(inUse.sandbox, "1")).toMatchObject({ ok: true, result: 1 });
      expect(listSurvivors(workers)).toEqual([]);
    });

    it("is kept after an error, which is no fault of it", async () => {
      const workers = listWorkers();
      const sources = ["null.x", "let", "await new Promise(() => {})", "'x'.repeat(1e6)", "1"];
      for (const source of sources) await runOn(inUse.sandbox, source);
      expect(listWorkers()).toEqual(workers);
    });

    it("is replaced where somebody kills it while it is idle", async () => {
      const workers = listWorkers();
      for (const { pid } of workers) process.kill(pid, "SIGKILL");
      expect(await runOn(inUse.sandbox, "1")).toMatchObject({ ok: true, result: 1 });
      expect(listSurvivors(workers)).toEqual([]);
    });

    it("has crashed where somebody kills it while it is busy, and what it printed is kept", async () => {
      const observation = await inUse.run("console.log('before'); for (;;);", {
        limits: { timeoutMs: 30_000 },
        onStdout: () => {
          for (const { pid } of listWorkers()) process.kill(pid, "SIGKILL");
        },
      });
      expect(observation).toMatchObject({ status: "crashed", error: "WorkerCrashed", stdout: ["before"] });
      expect(observation.message).toContain("SIGKILL");
      expect(await runOn(inUse.sandbox, "1")).toMatchObject({ ok: true, result: 1 });
    });
  });

  it("does not keep the host alive, nor does its supervisor", async () => {
    const host = await runHost("idle-host.ts", []);
    expect(host).toMatchObject({ code: 0, lines: [{ ok: true, result: 1 }] });
  });
});

describe("the standby", () => {
  it("is there at once when a worker is discarded, and is replaced", async () => {
    await using fake = await createFakePool({ size: 1, standby: 1 });
    await vi.waitFor(() => expect(fake.started).toHaveLength(2), { timeout: 10_000 });
    const first = fake.pool.checkoutNow();
    expect(first).not.toBe(null);
    expect(fake.pool.checkoutNow()).toBe(null);
    if (first) fake.pool.discard(first);
    const second = fake.pool.checkoutNow();
    expect(second).not.toBe(null);
    expect(second).not.toBe(first);
    await vi.waitFor(() => expect(fake.started).toHaveLength(3), { timeout: 10_000 });
  });

  it("is no excuse to hand out a worker that was discarded", async () => {
    await using fake = await createFakePool({ size: 1, standby: 0 });
    const first = fake.pool.checkoutNow();
    if (first) fake.pool.discard(first);
    expect(fake.pool.checkoutNow()).not.toBe(first);
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    expect(fake.started[0]?.runs).toBe(0);
  });
});
