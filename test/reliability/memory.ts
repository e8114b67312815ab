/**
 * The row of a worker's memory: the kernel's own peak figure, read until the worker ends, against what it held when ready.
 */

import { readFileSync } from "node:fs";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Sandbox } from "../../src/types.ts";
import { HOSTILE_PROGRAMS } from "../fixtures/hostile-programs.ts";
import { findStarted } from "../fixtures/started.ts";
import { type Effort, judge, type Row } from "./effort.ts";

const MEMORY_MB = 64;
const ALLOWED_MB = 128;
const TIMEOUT_MS = 1500;

/** A figure of /proc/PID/status in MiB; 0 where the process has ended. */
function readMb(pid: number, name: "VmRSS" | "VmHWM"): number {
  try {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "latin1"));
    return Number(found?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** By what they run: one in a container is no child of this process. What started them is among them, and takes nothing more. */
const workers = (): number[] => findStarted().map(({ pid }) => pid);

/** Highest peak of any worker over its own idle memory, in MiB, while the program runs. */
async function peakOver(sandbox: Sandbox, source: string): Promise<number> {
  const idle = new Map(workers().map((pid) => [pid, readMb(pid, "VmRSS")]));
  let isOn = true;
  const running = sandbox
    .run({ language: "javascript", source, limits: { memoryMb: MEMORY_MB, timeoutMs: TIMEOUT_MS } })
    .finally(() => {
      isOn = false;
    });
  let highest = 0;
  while (isOn) {
    for (const [pid, readyMb] of idle) highest = Math.max(highest, readMb(pid, "VmHWM") - readyMb);
    await new Promise((done) => setImmediate(done));
  }
  await running;
  return highest;
}

export async function measureMemory({ launchers }: Effort): Promise<Row[]> {
  const rows: Row[] = [];
  for (const containment of launchers) {
    let highest = 0;
    let worst = "";
    await using sandbox = await createSandbox({ containment, workers: 1, standby: 0, startTimeoutMs: 60_000 });
    for (const { name, source } of HOSTILE_PROGRAMS.memory) {
      // Waits for the worker that takes the place of the one that was ended.
      await sandbox.run({ language: "javascript", source: "1", limits: { timeoutMs: 10_000 } });
      const peak = await peakOver(sandbox, source);
      if (peak > highest) [highest, worst] = [peak, name];
    }
    rows.push(
      judge(
        `memory, ${containment}`,
        `idle memory + ${MEMORY_MB} + ${ALLOWED_MB} MiB at most, by the kernel's peak figure`,
        highest === 0
          ? "its workers could not be read"
          : `at most idle + ${highest.toFixed(0)} MiB (${worst}), ${HOSTILE_PROGRAMS.memory.length} programs`,
        {},
        { "within it": highest > 0 && highest <= MEMORY_MB + ALLOWED_MB },
      ),
    );
  }
  return rows;
}
