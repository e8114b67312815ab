/**
 * The row of a worker's memory: the kernel's own peak figure, read until the worker ends, against what it held when it was
 * ready for the program. By the worker's memory cgroup where it has one, and by its process where it has none.
 */

import { readFileSync } from "node:fs";
import { memoryGroupOf } from "../../src/sandbox/cgroup.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Sandbox } from "../../src/types.ts";
import { pause } from "../bench/statistics.ts";
import { groupBytes } from "../fixtures/groups.ts";
import { HOSTILE_PROGRAMS } from "../fixtures/hostile-programs.ts";
import { findStarted } from "../fixtures/started.ts";
import { type Effort, judge, type Row } from "./effort.ts";

const MIB = 1024 * 1024;
const MEMORY_MB = 64;
/** Above the program's own limit: with the watchdog alone, and where the kernel counts. */
const ALLOWED_MB = { process: 128, cgroup: 32 } as const;
const TIMEOUT_MS = 1500;
const REST_MS = 100;

/** A figure of /proc/PID/status in MiB; 0 where the process has ended. */
function readMb(pid: number, name: "VmRSS" | "VmHWM"): number {
  try {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "latin1"));
    return Number(found?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

interface Watched {
  counts: keyof typeof ALLOWED_MB;
  idleMb: number;
  peakMb(): number;
}

function watch(pid: number): Watched {
  const path = memoryGroupOf(pid)?.path ?? "";
  if (!path.includes("/sallyport-")) {
    return { counts: "process", idleMb: readMb(pid, "VmRSS"), peakMb: () => readMb(pid, "VmHWM") };
  }
  return { counts: "cgroup", idleMb: groupBytes(path, "now") / MIB, peakMb: () => groupBytes(path, "peak") / MIB };
}

interface Peak {
  counts: keyof typeof ALLOWED_MB;
  overMb: number;
}

/** Highest peak of any worker over its own idle memory, in MiB, while the program runs. */
async function peakOver(sandbox: Sandbox, source: string): Promise<Peak> {
  // By what they run: one in a container is no child of this process. What started them is among them, and takes nothing more.
  const watched = findStarted().map(({ pid }) => watch(pid));
  let isOn = true;
  const running = sandbox
    .run({ language: "javascript", source, limits: { memoryMb: MEMORY_MB, timeoutMs: TIMEOUT_MS } })
    .finally(() => {
      isOn = false;
    });
  let overMb = 0;
  while (isOn) {
    for (const { idleMb, peakMb } of watched) overMb = Math.max(overMb, peakMb() - idleMb);
    await new Promise((done) => setImmediate(done));
  }
  await running;
  return { counts: watched.some(({ counts }) => counts === "cgroup") ? "cgroup" : "process", overMb };
}

export async function measureMemory({ launchers }: Effort): Promise<Row[]> {
  const rows: Row[] = [];
  for (const containment of launchers) {
    let highest: Peak = { counts: "process", overMb: 0 };
    let worst = "";
    await using sandbox = await createSandbox({ containment, workers: 1, standby: 0, startTimeoutMs: 60_000 });
    for (const { name, source } of HOSTILE_PROGRAMS.memory) {
      // Waits for the worker that takes the place of the one that was ended.
      await sandbox.run({ language: "javascript", source: "1", limits: { timeoutMs: 10_000 } });
      // That it has rested: else its next isolate is still being made when its idle memory is read.
      await pause(REST_MS);
      const peak = await peakOver(sandbox, source);
      if (peak.overMb > highest.overMb) [highest, worst] = [peak, name];
    }
    const { counts, overMb } = highest;
    const allowedMb = ALLOWED_MB[counts];
    rows.push(
      judge(
        `memory, ${containment}`,
        `idle memory + ${MEMORY_MB} + ${allowedMb} MiB at most, by the peak figure of the worker's ${counts}`,
        overMb === 0
          ? "its workers could not be read"
          : `at most idle + ${overMb.toFixed(0)} MiB (${worst}), ${HOSTILE_PROGRAMS.memory.length} programs`,
        {},
        { "within it": overMb > 0 && overMb <= MEMORY_MB + allowedMb },
      ),
    );
  }
  return rows;
}
