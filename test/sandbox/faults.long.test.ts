/**
 * Workers that crash, lie, or talk out of turn: the call gets one true observation with what was printed,
 * the worker is discarded, and the next run is served. No fault of a worker is a fault of the host.
 */

import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { createFakePool, FAKE_WORKER, GRACE_MS } from "../fixtures/fake-pool.ts";
import { runHost } from "../fixtures/run-host.ts";

const BROKEN = "The worker broke the protocol and was discarded.";

describe("a worker that", () => {
  it.each<[behaviour: string, message: string, stdout: string[]]>([
    ["exits", "The worker process ended unexpectedly (exit code 0).", ["before"]],
    ["exitsInAnAnswer", "The worker process ended unexpectedly (exit code 0).", ["before"]],
    ["exitsInALength", "The worker process ended unexpectedly (exit code 0).", ["before"]],
    ["writesGarbage", BROKEN, ["before"]],
    ["writesAHugeFrame", BROKEN, ["before"]],
    ["writesADeepFrame", BROKEN, ["before"]],
    ["writesAWideFrame", BROKEN, ["before"]],
    ["truncatesTwice", BROKEN, ["before"]],
    ["restsBeforeTheAnswer", BROKEN, ["before"]],
    ["killsItself", "The worker process ended unexpectedly (SIGKILL).", ["before"]],
    ["answersForAnotherRun", BROKEN, ["before"]],
    ["startsTwice", BROKEN, []],
    ["getsReadyAgain", BROKEN, ["before"]],
    ["answersWithAManifest", BROKEN, []],
    ["printsAfterTheEnd", BROKEN, []],
    ["printsTooLongAPart", BROKEN, ["before", "begun"]],
    ["printsEmptyParts", BROKEN, ["before", "begun"]],
    ["printsAPartOfNoStream", BROKEN, ["before", "begun"]],
    ["printsAPartAfterTheEnd", BROKEN, ["before"]],
    ["endsALineThatWasNotBegun", BROKEN, ["before", "begun"]],
    ["killsItselfInALine", "The worker process ended unexpectedly (SIGKILL).", ["before", "out", "error"]],
    ["addsAKey", BROKEN, []],
    ["claimsAStatusOfTheHost", BROKEN, []],
    ["claimsAnotherSource", BROKEN, []],
    ["hasNoResult", BROKEN, []],
    ["hasAResultThatIsNoJson", BROKEN, []],
    ["hasAResultTooLarge", BROKEN, []],
    ["hasAResultTooDeep", BROKEN, []],
    ["hasAResultWithAPrototype", BROKEN, []],
  ])("%s is crashed to the caller, and the next run is served", async (behaviour, message, stdout) => {
    await using fake = await createFakePool({ behaviours: [behaviour, "honest"] });
    expect(await fake.run()).toMatchObject({ ok: false, status: "crashed", error: "WorkerCrashed", message, stdout });
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    expect(fake.started).toHaveLength(2);
    expect(fake.started[0]?.hasEnded).toBe(true);
  });

  it.each([
    ["printsTooMuch", 16],
    ["printsTooManyLines", 1000],
    ["printsTooMuchInParts", 2],
    ["printsTooManyParts", 656],
  ])("%s is stopped at the limit of output", async (behaviour, lines) => {
    await using fake = await createFakePool({ behaviours: [behaviour, "honest"] });
    const observation = await fake.run();
    expect(observation).toMatchObject({ status: "crashed", message: BROKEN });
    expect(observation.stdout).toHaveLength(lines);
  });

  it.each(["exitsBeforeTheStart", "startsAnotherRun", "answersBeforeTheStart", "printsAPartBeforeTheStart"])(
    "%s has not run the program: another does",
    async (behaviour) => {
      await using fake = await createFakePool({ behaviours: [behaviour, "honest"] });
      expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    },
  );

  it("never begins is given up after a few, and the run is unavailable", async () => {
    await using fake = await createFakePool({ behaviours: ["exitsBeforeTheStart"] });
    expect(await fake.run()).toMatchObject({ status: "unavailable", error: "Unavailable", stdout: [] });
  });

  it.each(["hangs", "hangsWithItsOutputClosed", "hangsInAnAnswer", "stopsItself"])(
    "%s is ended at the deadline",
    async (behaviour) => {
      await using fake = await createFakePool({ behaviours: [behaviour, "honest"] });
      const observation = await fake.run({ limits: { timeoutMs: 300 } });
      expect(observation).toMatchObject({ status: "timeout", stdout: ["before"] });
      expect(observation.usage.wallMs).toBeLessThan(300 + GRACE_MS + 500);
      expect(observation.usage.cpuMs).toBe(null);
      expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    },
  );

  it("lies about the time is not believed beyond what the host saw", async () => {
    await using fake = await createFakePool({ behaviours: ["liesAboutTime"] });
    const started = performance.now();
    const { usage } = await fake.run();
    expect(usage.wallMs).toBeLessThanOrEqual(performance.now() - started);
    expect(usage.cpuMs).toBeGreaterThanOrEqual(0);
  });

  it("answers twice has answered once, and is discarded", async () => {
    await using fake = await createFakePool({ behaviours: ["answersTwice", "honest"] });
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    await vi.waitFor(() => expect(fake.started[0]?.hasEnded).toBe(true), { timeout: 5000 });
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
  });

  it("crashes after its answer has answered, and the next run is served", async () => {
    await using fake = await createFakePool({ behaviours: ["crashesAfterTheAnswer", "honest"] });
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    await vi.waitFor(() => expect(fake.started[0]?.hasEnded).toBe(true), { timeout: 5000 });
  });

  it("disposes for ever is discarded at a limit of its own, though nobody asks it for a run", async () => {
    await using fake = await createFakePool({ behaviours: ["disposesForEver", "honest"], restLimitMs: 200 });
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    await vi.waitFor(() => expect(fake.started[0]?.hasEnded).toBe(true), { timeout: 5000 });
    expect(await fake.started[0]?.whenEnded).toMatchObject({ cause: "deadline" });
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
  });

  it.each(["disposesForEver", "stopsInItsSleep"])(
    "%s keeps a run with a long limit waiting no longer than a rest may take: another does it",
    async (behaviour) => {
      await using fake = await createFakePool({ behaviours: [behaviour, "honest"], restLimitMs: 300 });
      expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
      const observation = await fake.run({ limits: { timeoutMs: 60_000 } });
      expect(observation).toMatchObject({ ok: true, result: 1 });
      expect(observation.usage.queueMs).toBeLessThan(20_000);
      expect(fake.started).toHaveLength(2);
    },
  );

  it("is stopped while it is idle is ended by the run's own limit, and another does the run", async () => {
    await using fake = await createFakePool({ behaviours: ["stopsInItsSleep", "honest"] });
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    expect(await fake.run({ limits: { timeoutMs: 200 } })).toMatchObject({ ok: true, result: 1 });
    expect(await fake.started[0]?.whenEnded).toMatchObject({ cause: "deadline" });
  });

  it("disposes slowly, within the limit, is kept", async () => {
    await using fake = await createFakePool({ behaviours: ["disposesSlowly"] });
    for (let run = 0; run < 3; run++) expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    expect(fake.started).toHaveLength(1);
  });

  it("talks of the last run when the next one comes has not run it: another does", async () => {
    await using fake = await createFakePool({ behaviours: ["talksOfTheLastRun", "honest"] });
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    expect(await fake.started[0]?.whenEnded).toMatchObject({ cause: "protocol" });
  });

  it.each(["talksInItsSleep", "beginsAFrameInItsSleep", "restsTwice"])("%s is discarded", async (behaviour) => {
    await using fake = await createFakePool({ behaviours: [behaviour, "honest"] });
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    await vi.waitFor(() => expect(fake.started[0]?.hasEnded).toBe(true), { timeout: 5000 });
    expect(await fake.started[0]?.whenEnded).toMatchObject({ cause: "protocol" });
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
  });
});

describe("a worker that does not come up", () => {
  it.each<[behaviour: string, words: RegExp]>([
    ["endsAtOnce", /ended with exit code 3: the disk is on fire/],
    ["hasNoRoom", /ended with exit code 1: Creating new namespace failed: No space left on device/],
    ["greetsWithGarbage", /a frame of 1214606444 bytes/],
    ["greetsWithAHugeFrame", /a frame of 1073741824 bytes/],
    ["neverReady", /not ready after 400 ms/],
  ])("%s is ENGINE_UNAVAILABLE, in its own words", async (behaviour, words) => {
    const start = createFakePool({
      behaviours: [behaviour],
      startTimeoutMs: behaviour === "neverReady" ? 400 : 10_000,
    });
    await expect(start).rejects.toMatchObject({ name: "SandboxError", code: "ENGINE_UNAVAILABLE" });
    await expect(start).rejects.toThrow(words);
  });

  it("at first does not keep a pool from coming up, as long as one does", async () => {
    await using fake = await createFakePool({ behaviours: ["endsAtOnce", "honest"], size: 2 });
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
  });

  it("at once is waited for", async () => {
    await using fake = await createFakePool({ behaviours: ["exits", "startsSlowly"] });
    expect(await fake.run()).toMatchObject({ status: "crashed" });
    const observation = await fake.run();
    expect(observation).toMatchObject({ ok: true, result: 1 });
    expect(observation.usage.queueMs).toBeGreaterThan(500);
  });

  it("because its file has vanished is told to those who wait, and comes up when the file is back", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-"));
    const program = join(folder, "worker.mjs");
    copyFileSync(FAKE_WORKER, program);
    try {
      await using fake = await createFakePool({ program });
      expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
      rmSync(program);
      fake.started[0]?.kill("discarded");
      expect(await fake.run()).toMatchObject({ status: "unavailable", error: "Unavailable" });
      copyFileSync(FAKE_WORKER, program);
      await vi.waitFor(async () => expect(await fake.run()).toMatchObject({ ok: true, result: 1 }), {
        timeout: 20_000,
        interval: 100,
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("because the host has no file descriptor left is told to those who wait; limits hold; the pool recovers", async () => {
    const { code, lines, stderr } = await runHost("starved-host.ts", []);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(lines).toMatchObject([
      { unseen: "SIGKILL" },
      { endless: { status: "timeout" } },
      { starved: { status: "unavailable", error: "Unavailable" } },
      { recovered: { ok: true, result: 1 } },
    ]);
  });

  it("later, again and again, is told to those who wait", async () => {
    await using fake = await createFakePool({ behaviours: ["exits", "endsAtOnce"] });
    expect(await fake.run()).toMatchObject({ status: "crashed" });
    expect(await fake.run()).toMatchObject({ status: "unavailable", error: "Unavailable" });
  });
});

describe("an operator's mistake", () => {
  it("of a worker node that is not there is ENGINE_UNAVAILABLE and names it", async () => {
    const start = createSandbox({ workerNode: "/nowhere/node" });
    await expect(start).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE" });
    await expect(start).rejects.toThrow(/workerNode.*\/nowhere\/node/);
  });

  it.each([["/bin/false"], ["/etc/passwd"]])(
    "of a worker node that is none (%s) is ENGINE_UNAVAILABLE",
    async (path) => {
      const start = createSandbox({ workerNode: path, workers: 1, standby: 0 });
      await expect(start).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE" });
      await expect(start).rejects.toThrow(/^No worker can start: /);
    },
  );
});
