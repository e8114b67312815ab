/**
 * AbortSignal: before, while and after a run, in the queue and at the moment of its end. A cancelled call is an observation,
 * no listener is left on the signal, and the sandbox goes on.
 */

import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFakePool } from "../fixtures/fake-pool.ts";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const { run } = useSandbox();
const CANCELLED = { ok: false, status: "cancelled", error: "Cancelled" };

const warnings: string[] = [];
const onWarning = ({ name, message }: Error) => void warnings.push(`${name}: ${message}`);

beforeEach(() => {
  warnings.length = 0;
  process.on("warning", onWarning);
});

afterEach(async () => {
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
  expect(await run("[1, 2].map((n) => n * 2)")).toMatchObject({ ok: true, result: [2, 4] });
});

describe("a signal that is aborted", () => {
  it("before the call: the code does not run", async () => {
    const observation = await run("console.log(1)", { signal: AbortSignal.abort() });
    expect(observation).toMatchObject({ ...CANCELLED, stdout: [], usage: { wallMs: 0, cpuMs: null } });
  });

  it("in the same turn as the call: the run ends", async () => {
    const controller = new AbortController();
    const running = run("for (;;);", { signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject(CANCELLED);
  });

  it.each([
    ["a loop", "for (;;);"],
    ["a built-in that nothing interrupts", "[].reverse.call({ length: 2 ** 53 - 1 })"],
  ])("while the program is in %s: it ends, and what it printed is kept", async (_, source) => {
    const controller = new AbortController();
    const observation = await run(`console.log("before"); ${source}`, {
      signal: controller.signal,
      onStdout: () => controller.abort(new Error("a reason of the caller's")),
      limits: { timeoutMs: 30_000 },
    });
    expect(observation).toMatchObject({ ...CANCELLED, stdout: ["before"] });
    expect(observation.usage.wallMs).toBeLessThan(5000);
    expect(observation.message).not.toContain("reason");
  });

  it("after the run: nothing happens", async () => {
    const controller = new AbortController();
    expect(await run("1", { signal: controller.signal })).toMatchObject({ ok: true, result: 1 });
    controller.abort();
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("while the call waits: it leaves the queue, and the others move up", async () => {
    const [busy, queued] = [new AbortController(), new AbortController()];
    const limits = { timeoutMs: 30_000 };
    const running = [1, 2].map(() => run("for (;;);", { signal: busy.signal, limits }));
    const waiting = run("1", { signal: queued.signal });
    const next = run("2");
    queued.abort();
    const left = await waiting;
    expect(left).toMatchObject({ ...CANCELLED, usage: { wallMs: 0 } });
    busy.abort();
    expect(await next).toMatchObject({ ok: true, result: 2 });
    expect(await Promise.all(running)).toMatchObject([CANCELLED, CANCELLED]);
  });

  it("in the moment in which a worker becomes free: the run ends all the same", async () => {
    await using fake = await createFakePool({ behaviours: ["hangs"] });
    const worker = fake.pool.checkoutNow();
    const controller = new AbortController();
    const waiting = fake.run({ signal: controller.signal, limits: { timeoutMs: 2000 } });
    if (worker) fake.pool.release(worker);
    controller.abort();
    expect(await waiting).toMatchObject(CANCELLED);
  });

  it("by a timeout of the caller's own: the run is cancelled, not timed out", async () => {
    const observation = await run("for (;;);", { signal: AbortSignal.timeout(100), limits: { timeoutMs: 30_000 } });
    expect(observation).toMatchObject(CANCELLED);
  });

  it("after the worker has ended, unseen by a caller whose loop was blocked: it is told as what it was, with its true time", async () => {
    const blockMs = 1500;
    await using fake = await createFakePool({ behaviours: ["killsItself", "honest"] });
    const controller = new AbortController();
    const running = fake.run({ signal: controller.signal });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs);
    controller.abort();
    const observation = await running;
    expect(observation).toMatchObject({ ok: false, status: "crashed", stdout: ["before"] });
    expect(observation.usage.wallMs).toBeLessThan(blockMs - 100);
  });

  it("by who hears a line: no further line is heard", async () => {
    const controller = new AbortController();
    const heard: string[] = [];
    const onStdout = (line: string) => {
      heard.push(line);
      controller.abort();
    };
    const source = "for (let n = 0; n < 100; n++) console.log(n); for (;;);";
    const observation = await run(source, { signal: controller.signal, onStdout });
    expect(observation).toMatchObject(CANCELLED);
    expect(heard).toEqual(["0"]);
  });

  it("in the queue behind a worker that cannot begin: it is not tried again and again", async () => {
    await using fake = await createFakePool({ behaviours: ["exitsBeforeTheStart"] });
    const controller = new AbortController();
    const waiting = fake.run({ signal: controller.signal });
    controller.abort();
    expect(await waiting).toMatchObject(CANCELLED);
  });
});

describe("one signal for many runs", () => {
  it("has no listener left and warns of none", async () => {
    const controller = new AbortController();
    const observations = await Promise.all(
      Array.from({ length: 60 }, (_, index) => run(`${index}`, { signal: controller.signal })),
    );
    expect(observations.map(({ result }) => result)).toEqual(Array.from({ length: 60 }, (_, index) => index));
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("ends them all, wherever they are, and has no listener left", async () => {
    const controller = new AbortController();
    const runs = Array.from({ length: 40 }, () =>
      run("for (;;);", { signal: controller.signal, limits: { timeoutMs: 30_000 } }),
    );
    controller.abort();
    for (const observation of await Promise.all(runs)) expect(observation).toMatchObject(CANCELLED);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("has no listener left after every other kind of end", async () => {
    const { signal } = new AbortController();
    for (const source of ["null.x", "let", "await new Promise(() => {})", "for (;;);", "'x'.repeat(1e6)"]) {
      await run(source, { signal, limits: { timeoutMs: 200 } });
      expect(getEventListeners(signal, "abort")).toEqual([]);
    }
    await expect(run("1", { signal, limits: { timeoutMs: 0 } })).rejects.toThrow();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
