/**
 * bubblewrap that is ended in the moment in which it has made its first process inside and has not yet told it to go on:
 * that process waits for a word which never comes, and nothing ties it to anybody.
 */

import { readdirSync, readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { createSupervisor } from "../../src/sandbox/supervisor.ts";
import { WorkerProcess } from "../../src/sandbox/worker-process.ts";
import { openLauncher } from "../conformance/launcher.ts";
import { describeLauncher, NEEDS } from "../fixtures/launchers.ts";
import { startHost } from "../fixtures/run-host.ts";

const PLAN = { ...NEEDS, role: "runner", language: "javascript" } as const;
const TIMES = 12;
const PATIENCE_MS = 120_000;
const SOON = { timeout: 5000, interval: 20 };

function readStat(pid: string): { parent: string; state: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, parent };
  } catch {
    return null;
  }
}

/** Live processes with this text in their arguments. */
function listMarked(mark: string): string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      if (!/^\d+$/.test(name) || !readFileSync(`/proc/${name}/cmdline`, "latin1").includes(mark)) return false;
      return (readStat(name)?.state ?? "Z") !== "Z";
    } catch {
      return false;
    }
  });
}

/**
 * Resolves with the outer of bubblewrap's two processes as soon as the inner one is there, and stops that one, so that it
 * goes on as little as one that waits. Looks without a pause: the moment is short.
 */
async function catchStart(mark: string): Promise<number> {
  for (;;) {
    const marked = listMarked(mark);
    const inner = marked.find((pid) => marked.includes(readStat(pid)?.parent ?? ""));
    if (inner !== undefined) {
      const outer = Number(readStat(inner)?.parent);
      process.kill(Number(inner), "SIGSTOP");
      return outer;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describeLauncher("bubblewrap", () => {
  it(
    "leaves nothing when it is killed while it starts",
    async () => {
      const launcher = await openLauncher("bubblewrap");
      const supervisor = createSupervisor(1);
      try {
        for (let time = 0; time < TIMES; time++) {
          const mark = `start-${process.pid}-${time}`;
          const command = launcher.command({ ...PLAN, env: { MARK: mark } });
          const starting = WorkerProcess.start(command, supervisor, 60_000);
          process.kill(await catchStart(mark), "SIGKILL");
          await expect(starting).rejects.toThrow("it ended with SIGKILL");
          await vi.waitFor(() => expect(listMarked(mark)).toEqual([]), SOON);
        }
      } finally {
        supervisor.close();
        await launcher.close();
      }
    },
    PATIENCE_MS,
  );

  it(
    "leaves nothing when its host is killed while it starts",
    async () => {
      for (let time = 0; time < TIMES; time++) {
        const mark = `host-${process.pid}-${time}`;
        const host = startHost("../reliability/restart-host.ts", ["bubblewrap", mark, "starting"]);
        host.nextLine().catch(() => {});
        await catchStart(`RESTART_MARK\0${mark}`);
        host.kill();
        await host.whenEnded;
        await vi.waitFor(() => expect(listMarked(`RESTART_MARK\0${mark}`)).toEqual([]), SOON);
      }
    },
    PATIENCE_MS,
  );
});
