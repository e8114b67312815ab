/**
 * A host that is killed leaves no worker: not an idle one, not one in a loop, not one in a built-in that nothing interrupts,
 * whichever of the two ways ties the worker's death to its parent's.
 */

import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { findSetpriv } from "../../src/sandbox/spawn.ts";
import { startHost } from "../fixtures/run-host.ts";
import { listSurvivors, listTree, type ProcessMark } from "../studio/process-tree.ts";

interface Reported {
  pid: number;
  workers: ProcessMark[];
}

/** User time of a process in clock ticks. */
function ticksOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[11]);
}

const ACTIVITIES: [what: string, source: string][] = [
  ["idle", ""],
  ["in a loop", "console.log('on'); for (;;);"],
  ["in a built-in that nothing interrupts", "console.log('on'); [].reverse.call({ length: 2 ** 53 - 1 })"],
];

const WAYS = [...(findSetpriv() === null ? [] : ["setpriv"]), "shell"];

describe.each(WAYS)("with a worker tied to its host by %s", (way) => {
  it.each(ACTIVITIES)("a host that is killed leaves none behind that is %s", async (_, source) => {
    const host = startHost("mortal-host.ts", [way, source]);
    try {
      const { pid, workers } = (await host.nextLine()) as Reported;
      expect(workers.map((mark) => mark.pid)).toContain(pid);
      if (source !== "") {
        // Well in the middle of it: the worker has used the processor since it printed.
        const before = ticksOf(pid);
        await vi.waitFor(() => expect(ticksOf(pid) - before).toBeGreaterThan(5), { timeout: 10_000, interval: 10 });
      }
      expect(listSurvivors(workers)).toHaveLength(workers.length);
      host.kill();
      await host.whenEnded;
      await vi.waitFor(() => expect(listSurvivors(workers)).toEqual([]), { timeout: 2000, interval: 20 });
    } finally {
      host.kill();
    }
  });
});

describe("a host that ends by itself", () => {
  it("leaves nothing of a whole pool behind, whatever its workers do", async () => {
    const host = startHost("pool-host.ts", []);
    const { workers } = (await host.nextLine()) as Reported;
    expect(workers.length).toBeGreaterThanOrEqual(3);
    host.kill();
    await host.whenEnded;
    await vi.waitFor(() => expect(listSurvivors(workers)).toEqual([]), { timeout: 2000, interval: 20 });
    expect(listTree(process.pid).filter(({ pid }) => pid !== process.pid)).toEqual([]);
  });
});
