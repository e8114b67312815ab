/**
 * The conformance suite for launchers: what holds of a worker wherever it runs, asked of the real thing. A launcher brings
 * nothing but its name; what it is capable of it has to show.
 */

import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/limits.ts";
import { findEngines } from "../../src/sandbox/container/engine.ts";
import type { OpenLauncher } from "../../src/sandbox/launchers/launcher.ts";
import { LAUNCHERS } from "../../src/sandbox/launchers/registry.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Observation } from "../../src/types.ts";
import { createEvilPool } from "../fixtures/evil-worker.ts";
import { type LauncherName, NEEDS } from "../fixtures/launchers.ts";
import { runHost, startHost } from "../fixtures/run-host.ts";
import { findStarted } from "../fixtures/started.ts";
import { PATIENT, useSandbox } from "../fixtures/use-sandbox.ts";
import { listSurvivors, type ProcessMark } from "../studio/process-tree.ts";

/** What a worker tries that has been taken over. */
const EXPLOITS = [
  ...["read a file", "list a folder", "write a file", "read the environment", "connect"],
  ...["start a process", "signal the host", "read the host's memory", "change a setting of the kernel"],
  "see other processes",
];
const LATEST_MS = LIMITS.timeoutMs.default + LIMITS.killGraceMs.default + 500;
const PATIENCE_MS = 120_000;
/** After the death of a host no worker of it may live longer. */
const AFTER_DEATH_MS = 1000;

/** Layers that every launcher has on Linux, and those that only containment brings. */
const ALWAYS = [
  "isolate",
  "process",
  "environment",
  "permission-model",
  "deadline",
  "watchdog",
  "dies-with-parent",
  "rlimits",
];
const WALLS = [
  ...["filesystem", "network", "pid-namespace", "mount-namespace", "no-new-privileges"],
  ...["capabilities", "seccomp", "containment"],
];

const BOMBS = [
  "console.log('before'); while (true);",
  "console.log('before'); new Array(2 ** 27).fill(0)",
  "console.log('before'); 2n ** (2n ** 29n)",
  "console.log('before'); [].reverse.call({ length: 2 ** 53 - 1 })",
];

const ACTIVITIES: [what: string, source: string][] = [
  ["at rest", ""],
  ["in a loop", "for (;;);"],
  ["in a built-in that nothing interrupts", "[].reverse.call({ length: 2 ** 53 - 1 })"],
];

const BREACHES: [behaviour: string, stdout: string[]][] = [
  ["exits", ["before"]],
  ["writesGarbage", ["before"]],
  ["writesAHugeFrame", ["before"]],
  ["answersForAnotherRun", ["before"]],
  ["exitsInAnAnswer", ["before"]],
  ["claimsAStatusOfTheHost", []],
  ["hasAResultWithAPrototype", []],
];

function isEngine(pid: number): boolean {
  const [program = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return findEngines().some(({ path }) => path === program);
}

export async function openLauncher(name: LauncherName): Promise<OpenLauncher> {
  const opened = await LAUNCHERS.find((launcher) => launcher.name === name)?.open(NEEDS);
  if (opened === undefined || !("command" in opened)) throw new Error(`${name} cannot run here`);
  return opened;
}

/** Registers the suite: call it inside of `describeLauncher`. */
export function describeLauncherSuite(name: LauncherName): void {
  describe("a sandbox", () => {
    const inUse = useSandbox({ containment: name });

    it("reports each layer as it is probed, and the same that its receipts carry", async () => {
      const report = await inUse.sandbox.report();
      expect(report.containment).toBe(name);
      const active = report.layers.filter((layer) => layer.active).map((layer) => layer.name);
      expect(active).toEqual(expect.arrayContaining(name === "process" ? ALWAYS : [...ALWAYS, ...WALLS]));
      for (const layer of report.layers) expect(layer.active || layer.remedy !== undefined).toBe(true);
      expect(active).toEqual(inUse.sandbox.layers);
      if (name === "process") expect(active).not.toContain("containment");
    });

    it("ends what nothing interrupts, keeps what was printed, and serves the next run", async () => {
      const observation = await inUse.run("console.log('before'); [].reverse.call({ length: 2 ** 53 - 1 })");
      expect(observation).toMatchObject({ status: "timeout", stdout: ["before"] });
      expect(observation.usage.wallMs).toBeLessThan(LATEST_MS);
      expect(await inUse.run("6 * 7")).toMatchObject({ ok: true, result: 42 });
    });

    it("ends who takes memory outside of the heap", async () => {
      const source = "console.log('before'); const held = []; for (;;) held.push('x'.padEnd(2 ** 24).split(''))";
      const observation = await inUse.run(source, { limits: { timeoutMs: 10_000 } });
      expect(observation).toMatchObject({ status: "memory_limit", stdout: ["before"] });
      expect(await inUse.run("6 * 7")).toMatchObject({ ok: true, result: 42 });
    });

    it("gives a program all that its limit says", async () => {
      const source = "const kept = []; for (let n = 0; n < 100; n++) kept.push(new Array(1e6).fill(1.5)); kept.length";
      const limits = { memoryMb: LIMITS.memoryMb.max, timeoutMs: 30_000 };
      expect(await inUse.run(source, { limits })).toMatchObject({ ok: true, result: 100 });
    });
  });

  it("gives a worker the operator's environment, and nothing of the host's", async () => {
    await using sandbox = await createSandbox({
      containment: name,
      workers: 1,
      standby: 0,
      ...PATIENT,
      workerEnv: { LEVEL: "5" },
    });
    const { layers } = await sandbox.report();
    expect(layers.find((layer) => layer.name === "environment")).toMatchObject({ active: true });
  });

  it("leaves nothing behind when it is closed, in the middle of what nothing interrupts", async () => {
    const before = new Set(findStarted().map(({ pid }) => pid));
    const sandbox = await createSandbox({ containment: name, workers: 2, standby: 0, ...PATIENT });
    let started: ProcessMark[] = [];
    const running = new Promise<Observation>((resolve) => {
      const end = sandbox.run({
        language: "javascript",
        source: "console.log('on'); [].reverse.call({ length: 2 ** 53 - 1 })",
        limits: { timeoutMs: 60_000 },
        onStdout() {
          started = findStarted().filter(({ pid }) => !before.has(pid));
          resolve(sandbox.close().then(() => end));
        },
      });
    });
    expect(await running).toMatchObject({ status: "cancelled", stdout: ["on"] });
    expect(started.length).toBeGreaterThanOrEqual(1);
    expect(listSurvivors(started)).toEqual([]);
  });

  it.each(ACTIVITIES)(
    "a host that is killed leaves no worker that is %s",
    async (_, source) => {
      const host = startHost("contained-host.ts", [name, source]);
      const { workers: started } = (await host.nextLine()) as { workers: ProcessMark[] };
      // The engine's own command clears up after its container, for seconds where the machine is busy: it is no worker.
      const workers = started.filter(({ pid }) => !isEngine(pid));
      expect(workers.length).toBeGreaterThanOrEqual(1);
      expect(listSurvivors(workers)).toHaveLength(workers.length);
      host.kill();
      await host.whenEnded;
      await vi.waitFor(() => expect(listSurvivors(workers)).toEqual([]), { timeout: AFTER_DEATH_MS, interval: 20 });
    },
    PATIENCE_MS,
  );

  it(
    "with the caller's loop blocked every bomb is ended all the same",
    async () => {
      const host = await runHost("blocked-host.ts", ["4000", JSON.stringify(BOMBS), "{}", name]);
      expect(host).toMatchObject({ code: 0, stderr: "" });
      const [{ observations, survivors, workers, next }] = host.lines as [
        { observations: Observation[]; survivors: number; workers: number; next: Observation },
      ];
      for (const observation of observations) {
        expect(["timeout", "memory_limit", "error"]).toContain(observation.status);
        expect(observation.stdout).toEqual(["before"]);
        expect(observation.usage.wallMs).toBeLessThan(LATEST_MS);
      }
      expect(survivors).toBeLessThan(workers);
      expect(next).toMatchObject({ ok: true, result: [2, 4] });
    },
    PATIENCE_MS,
  );

  it.each(BREACHES)(
    "a worker that was taken over and %s costs its own run and no other",
    async (behaviour, stdout) => {
      const launcher = await openLauncher(name);
      try {
        await using evil = await createEvilPool(launcher, behaviour);
        expect(await evil.run()).toMatchObject({ ok: false, status: "crashed", stdout });
        expect(await evil.run()).toMatchObject({ ok: true, result: 1 });
        expect(evil.started[0]?.hasEnded).toBe(true);
      } finally {
        await launcher.close();
      }
    },
    PATIENCE_MS,
  );

  if (name === "process") {
    it("a worker that was taken over reaches all that this user may, and the report says so", async () => {
      await using sandbox = await createSandbox({ containment: name, workers: 1, standby: 0, ...PATIENT });
      const { exploited = [], summary } = await sandbox.report({ attacks: true });
      const reached = exploited.filter((attempt) => attempt.hasSucceeded).map((attempt) => attempt.name);
      expect(reached).toEqual(expect.arrayContaining(["read a file", "write a file", "connect", "start a process"]));
      expect(summary).toMatch(/as this user on this machine/);
    });
  } else {
    it("a worker that was taken over reaches nothing of the host", async () => {
      await using sandbox = await createSandbox({ containment: name, workers: 1, standby: 0, ...PATIENT });
      const { exploited = [] } = await sandbox.report({ attacks: true });
      expect(exploited.map((attempt) => attempt.name)).toEqual(expect.arrayContaining(EXPLOITS));
      expect(exploited.filter((attempt) => attempt.hasSucceeded)).toEqual([]);
      expect(await sandbox.run({ language: "javascript", source: "6 * 7" })).toMatchObject({ ok: true, result: 42 });
    });
  }
}
