/**
 * Containers that outlive what started them: one whose process the host does not see is ended by its name, and one whose
 * host and undertaker were both killed is removed by the next host that starts.
 */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { callEngine, findEngines } from "../../src/sandbox/container/engine.ts";
import type { OpenLauncher } from "../../src/sandbox/launchers/launcher.ts";
import { openLauncher } from "../conformance/launcher.ts";
import { createEvilPool } from "../fixtures/evil-worker.ts";
import { describeLauncher } from "../fixtures/launchers.ts";
import { startHost } from "../fixtures/run-host.ts";

const UNENDING = "[].reverse.call({ length: 2 ** 53 - 1 })";
const PATIENCE_MS = 120_000;
const SOON = { timeout: 20_000, interval: 50 };

/** Names of the containers of one host, as each engine of this machine tells them. */
async function listContainers(hostPid: number): Promise<string[]> {
  const list = ["ps", "--all", "--filter", `name=^sallyport-${hostPid}-`, "--format", "{{.Names}}"];
  const told = await Promise.all(findEngines().map((engine) => callEngine(engine, list)));
  return told.flatMap(({ stdout }) => stdout.split("\n").filter(Boolean));
}

/** The shell that is to kill a host's containers when the host is gone. */
function findUndertaker(hostPid: number): number {
  const found = readdirSync("/proc").find((name) => {
    try {
      const args = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      return args.includes("sallyport-undertaker") && args.some((arg) => arg.startsWith(`sallyport-${hostPid}-`));
    } catch {
      return false;
    }
  });
  return Number(found);
}

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

  describe("of a host that is killed together with its undertaker", () => {
    it(
      "a container lives on, and the next host removes it",
      async () => {
        const host = startHost("contained-host.ts", ["container", UNENDING]);
        await host.nextLine();
        process.kill(findUndertaker(host.pid), "SIGKILL");
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
