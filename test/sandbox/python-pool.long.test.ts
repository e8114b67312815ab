/**
 * Python's workers: none before the first program, fresh interpreters for ever, and a clear fault where the snapshot is
 * not as it was built.
 */

import { cpSync, mkdirSync, mkdtempSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { REST_LIMITS_MS } from "../../src/sandbox/worker-process.ts";
import { listChildren, readResidentMb } from "../bench/processes.ts";
import { PATIENT, useSandbox } from "../fixtures/use-sandbox.ts";

const ROOT = join(import.meta.dirname, "../..");
const SNAPSHOT = "src/worker/guest/python/built/snapshot.bin";
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe("a host that runs no Python", () => {
  it.skipIf(process.platform !== "linux")("has no worker for it", async () => {
    const before = new Set(listChildren());
    await using sandbox = await createSandbox({ ...PATIENT, workers: 1, standby: 0, containment: "process" });
    await sandbox.run({ language: "javascript", source: "1" });
    expect(listChildren().filter((id) => !before.has(id))).toHaveLength(1);
    await sandbox.run({ language: "python", source: "1" });
    expect(listChildren().filter((id) => !before.has(id)).length).toBeGreaterThan(1);
  });
});

describe("an interpreter that takes long to make", () => {
  /** Longer than a worker of JavaScript may take. */
  const STOPPED_MS = REST_LIMITS_MS.javascript + 1000;

  it.skipIf(process.platform !== "linux")("is waited for: its worker is the same afterwards", async () => {
    const before = new Set(listChildren());
    const ours = () => listChildren().filter((id) => !before.has(id));
    const python = { workers: 1, prepared: 1 };
    await using sandbox = await createSandbox({ ...PATIENT, workers: 1, standby: 0, containment: "process", python });
    const script = new Set(ours());
    const run = () => sandbox.run({ language: "python", source: "1", limits: { timeoutMs: 20_000 } });
    expect(await run()).toMatchObject({ ok: true });
    const workers = ours().filter((id) => !script.has(id));
    // It has answered, and makes its next interpreter.
    for (const pid of workers) process.kill(pid, "SIGSTOP");
    const next = run();
    await new Promise((done) => setTimeout(done, STOPPED_MS));
    for (const pid of workers) process.kill(pid, "SIGCONT");
    expect(await next).toMatchObject({ ok: true });
    expect(ours().filter((id) => !script.has(id))).toEqual(workers);
  });
});

describe("a snapshot", () => {
  /** The product's sources in a folder of their own, with the packages of this one. */
  async function copyProduct(): Promise<{ folder: string; create: typeof createSandbox }> {
    // Below this one, so that Node finds the packages where they are.
    mkdirSync(join(ROOT, "coverage"), { recursive: true });
    const folder = mkdtempSync(join(ROOT, "coverage", "python-"));
    folders.push(folder);
    cpSync(join(ROOT, "src"), join(folder, "src"), { recursive: true });
    cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
    const path = pathToFileURL(join(folder, "src/sandbox/sandbox.ts")).href;
    const { createSandbox: create } = (await import(path)) as { createSandbox: typeof createSandbox };
    return { folder, create };
  }

  it.each<[what: string, spoil: (path: string) => void, words: RegExp]>([
    ["missing", (path) => rmSync(path), /is missing.*npm run snapshot/],
    ["damaged", (path) => truncateSync(path, 1000), /is damaged.*npm run snapshot/],
  ])("that is %s is a fault that says what to do, and JavaScript runs on", async (_, spoil, words) => {
    const { folder, create } = await copyProduct();
    spoil(join(folder, SNAPSHOT));
    await using sandbox = await create({ ...PATIENT, workers: 1, standby: 0, containment: "process" });
    await expect(sandbox.run({ language: "python", source: "1" })).rejects.toMatchObject({
      code: "ENGINE_UNAVAILABLE",
      message: expect.stringMatching(words),
    });
    const { engines } = await sandbox.report();
    expect(engines.find(({ name }) => name === "python")).toMatchObject({
      active: false,
      remedy: expect.stringContaining("npm run snapshot"),
    });
    expect(await sandbox.run({ language: "javascript", source: "1" })).toMatchObject({ ok: true });
  });
});

/** `npm run test:full` asks for 5,000. */
const RUNS = Number(process.env.PYTHON_RUNS ?? 500);

describe("run upon run", () => {
  const CALLERS = 2;
  /** So that each worker makes many interpreters, and several workers one after the other are seen. */
  const runsPerWorker = Math.ceil(RUNS / 5);
  const before = new Set(listChildren());
  const { run } = useSandbox({
    workers: 1,
    standby: 0,
    containment: "process",
    runsPerWorker,
    python: { workers: CALLERS, prepared: 2 },
  });
  /** Where it stands after a first part of the runs, and at the end. */
  const span = (values: readonly number[]): [early: number, late: number] => {
    const part = Math.ceil(values.length / 4);
    return [Math.max(...values.slice(0, part)), Math.max(...values.slice(-part))];
  };

  it.skipIf(process.platform !== "linux")(
    `${RUNS} times leaves nothing behind, in the host or in the workers`,
    { timeout: 60_000 + RUNS * 2000 },
    async () => {
      const source = "import json\nkept = ['x' * 1000 for _ in range(1000)]\nlen(json.dumps(kept))";
      const workers = new Set<number>();
      const workerMb: number[] = [];
      const hostMb: number[] = [];
      let left = RUNS;
      const caller = async (): Promise<void> => {
        while (left-- > 0) {
          const observation = await run(source, { language: "python", limits: { timeoutMs: 20_000 } });
          expect(observation.ok, `${RUNS - left} of ${RUNS}: ${JSON.stringify(observation)}`).toBe(true);
          const now = listChildren().filter((id) => !before.has(id));
          for (const id of now) workers.add(id);
          if (left % Math.ceil(RUNS / 40) !== 0) continue;
          workerMb.push(Math.max(...now.map(readResidentMb)));
          hostMb.push(process.memoryUsage.rss() / 2 ** 20);
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
      const [[hostEarly, hostLate], [early, late]] = [span(hostMb), span(workerMb)];
      const figures =
        `${RUNS} runs, ${workers.size} workers in all (one of JavaScript); host ${hostEarly.toFixed(0)} to ` +
        `${hostLate.toFixed(0)} MiB, largest worker ${early.toFixed(0)} to ${late.toFixed(0)} MiB`;
      console.log(figures);
      expect(hostLate, figures).toBeLessThan(hostEarly + 64);
      expect(late, figures).toBeLessThan(early + 100);
      expect(workers.size, figures).toBeGreaterThanOrEqual(RUNS / runsPerWorker);
      expect(workers.size, figures).toBeLessThanOrEqual(1 + RUNS / runsPerWorker + CALLERS);
    },
  );
});
