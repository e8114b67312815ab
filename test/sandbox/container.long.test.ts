/**
 * Containers that outlive what started them: one whose process the host does not see is ended by its name, one that was
 * made and never started is ended with what holds it, and one whose host and undertaker were both killed is removed by the
 * next host that starts.
 */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { callEngine, findEngines } from "../../src/sandbox/container/engine.ts";
import { readBuiltImage } from "../../src/sandbox/container/image.ts";
import type { OpenLauncher } from "../../src/sandbox/launchers/launcher.ts";
import { createSupervisor } from "../../src/sandbox/supervisor.ts";
import { WorkerProcess } from "../../src/sandbox/worker-process.ts";
import { openLauncher } from "../conformance/launcher.ts";
import { createEvilPool } from "../fixtures/evil-worker.ts";
import { findUndertaker } from "../fixtures/find-undertaker.ts";
import { describeLauncher, NEEDS } from "../fixtures/launchers.ts";
import { startHost } from "../fixtures/run-host.ts";

const UNENDING = "[].reverse.call({ length: 2 ** 53 - 1 })";
const PATIENCE_MS = 240_000;
const TIMES = 6;
const LONGEST_START_MS = 5000;
/** Docker's daemon holds its containers itself. */
const hasMonitors = readBuiltImage(NEEDS)?.engine === "podman";
const SOON = { timeout: 20_000, interval: 50 };

/** Names of the containers of one host, as each engine of this machine tells them. */
async function listContainers(hostPid: number): Promise<string[]> {
  const list = ["ps", "--all", "--filter", `name=^sallyport-${hostPid}-`, "--format", "{{.Names}}"];
  const told = await Promise.all(findEngines().map((engine) => callEngine(engine, list)));
  return told.flatMap(({ stdout }) => stdout.split("\n").filter(Boolean));
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Live processes that hold a container of this host for its engine. */
function listMonitors(hostPid: number): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name) || readText(`/proc/${name}/comm`) !== "conmon\n") return false;
    const args = readText(`/proc/${name}/cmdline`).split("\0");
    return args[args.indexOf("-n") + 1]?.startsWith(`sallyport-${hostPid}-`) === true;
  });
}

const listChildren = (pid: string): string[] =>
  readText(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean);

/**
 * The processes of a container that is made and not yet started; null where that moment was missed. Looks without a pause:
 * it is short.
 */
async function catchMade(hostPid: number): Promise<string[] | null> {
  const until = performance.now() + LONGEST_START_MS;
  while (performance.now() < until) {
    for (const monitor of listMonitors(hostPid)) {
      const inside = listChildren(monitor).find((pid) => readText(`/proc/${pid}/comm`).startsWith("runc:[2"));
      if (inside !== undefined) return [monitor, inside];
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return null;
}

/** The engine's command by which this process makes a container. */
function findClient(hostPid: number): number {
  const found = readdirSync("/proc").find((name) => {
    const args = readText(`/proc/${name}/cmdline`).split("\0");
    return args[args.indexOf("--name") + 1]?.startsWith(`sallyport-${hostPid}-`) === true && args.includes("run");
  });
  return Number(found);
}

const listLive = (pids: readonly string[]): string[] =>
  pids.filter((pid) => /^State:\s+[^Z]/m.test(readText(`/proc/${pid}/status`)));

/** As on a machine whose containers run in a virtual one: no process of theirs is to be seen. */
function blind(launcher: OpenLauncher): OpenLauncher {
  return { ...launcher, command: (plan) => ({ ...launcher.command(plan), findWorker: () => null }) };
}

describeLauncher("container", () => {
  it(
    "a worker whose process is not to be seen is ended at its deadline, by the name of its container",
    async () => {
      const launcher = await openLauncher("container");
      try {
        await using evil = await createEvilPool(blind(launcher), "hangs");
        expect(evil.started[0]?.isVisible).toBe(false);
        expect(await evil.run({ limits: { timeoutMs: 200 } })).toMatchObject({ status: "timeout" });
        await evil.started[0]?.whenEnded;
        expect(await evil.run({ limits: { timeoutMs: 10_000 } })).toMatchObject({ ok: true, result: 1 });
      } finally {
        await launcher.close();
      }
      await vi.waitFor(async () => expect(await listContainers(process.pid)).toEqual([]), SOON);
    },
    PATIENCE_MS,
  );

  it.skipIf(!hasMonitors)(
    "one whose host is killed before it starts leaves nothing",
    async () => {
      let caught = 0;
      for (let time = 0; time < 2 * TIMES && caught < TIMES; time++) {
        const host = startHost("../reliability/restart-host.ts", ["container", `made-${time}`, "starting"]);
        host.nextLine().catch(() => {});
        const made = await catchMade(host.pid);
        host.kill();
        await host.whenEnded;
        if (made !== null) caught++;
        await vi.waitFor(() => expect(listLive(made ?? [])).toEqual([]), SOON);
        await vi.waitFor(async () => expect(await listContainers(host.pid)).toEqual([]), SOON);
      }
      expect(caught).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );

  it.skipIf(!hasMonitors)(
    "one whose client is killed before it starts leaves nothing, while the host lives on",
    async () => {
      const launcher = await openLauncher("container");
      const supervisor = createSupervisor(1);
      let caught = 0;
      try {
        for (let time = 0; time < 2 * TIMES && caught < TIMES; time++) {
          const command = launcher.command({ ...NEEDS, role: "runner", language: "javascript", env: {} });
          const starting = WorkerProcess.start(command, supervisor, 60_000);
          starting.catch(() => {});
          const made = await catchMade(process.pid);
          process.kill(findClient(process.pid), "SIGKILL");
          // It was up before it was caught, or it never will be.
          await starting.then((worker) => worker.whenEnded).catch(() => {});
          if (made !== null) caught++;
          await vi.waitFor(() => expect(listLive(made ?? [])).toEqual([]), SOON);
          await vi.waitFor(async () => expect(await listContainers(process.pid)).toEqual([]), SOON);
        }
        expect(caught).toBeGreaterThan(0);
      } finally {
        supervisor.close();
        await launcher.close();
      }
    },
    PATIENCE_MS,
  );

  describe("of a host that is killed together with its undertaker", () => {
    it(
      "a container lives on, and the next host removes it",
      async () => {
        const host = startHost("contained-host.ts", ["container", UNENDING]);
        await host.nextLine();
        process.kill(findUndertaker(`sallyport-${host.pid}-`), "SIGKILL");
        host.kill();
        await host.whenEnded;
        expect(await listContainers(host.pid)).toHaveLength(1);
        const next = startHost("contained-host.ts", ["container", ""]);
        try {
          await next.nextLine();
          await vi.waitFor(async () => expect(await listContainers(host.pid)).toEqual([]), SOON);
          // It removes what is nobody's, and leaves its own.
          expect(await listContainers(next.pid)).toHaveLength(1);
        } finally {
          next.kill();
          await next.whenEnded;
        }
        await vi.waitFor(async () => expect(await listContainers(next.pid)).toEqual([]), SOON);
      },
      PATIENCE_MS,
    );
  });
});
