/**
 * Ends a worker for good, whatever stands between it and the host: a command that it ends with, or a container that does not
 * care for its client. From the caller's thread; the supervisor thread has its own, smaller way.
 */

import { constants } from "node:os";
import type { MemoryGroup } from "./cgroup.ts";
import type { Command } from "./launchers/launcher.ts";
import { startOf } from "./process-facts.ts";
import type { WorkerChild } from "./spawn.ts";
import type { Supervisor, Watch } from "./supervisor.ts";

/** After which a command whose worker was ended is ended as well: until then it passes on what the worker had written. */
const DRAIN_MS = 2000;

export interface Ending {
  /** The worker was found to be this process. */
  located(pid: number): void;
  end(): void;
}

/** True where the process was there and could be ended. */
function endByPid(pid: number, start: string | null): boolean {
  if (start === null || startOf(pid) !== start) return false;
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

export function createEnding(child: WorkerChild, { undertaker, endByName }: Command): Ending {
  let worker: { pid: number; start: string | null } | null = null;
  return {
    located(pid) {
      worker = { pid, start: startOf(pid) };
    },
    end() {
      if (undertaker === undefined) {
        child.kill("SIGKILL");
        return;
      }
      if (worker === null || !endByPid(worker.pid, worker.start)) endByName?.();
      if (worker === null) child.kill("SIGKILL");
      else setTimeout(() => child.kill("SIGKILL"), DRAIN_MS).unref();
    },
  };
}

/** What starts a worker for us tells a signal as a shell does: 128 and its number. Node itself exits with less. */
export function describeExit(code: number | null): string {
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
  return signal ?? `exit code ${code}`;
}

/** No worker runs without a watch: where there is none to be had, the child is ended. */
export function watchOrEnd(
  child: WorkerChild,
  pid: number,
  supervisor: Supervisor,
  command: Command,
  group: MemoryGroup | null,
): Watch {
  try {
    return supervisor.watch(pid, command.undertaker);
  } catch (error) {
    child.kill("SIGKILL");
    group?.remove();
    throw error;
  }
}

/** Of what a dying Node writes: the frames of a stack would push the error itself out, and its version tells nothing. */
const NO_WORDS = /^\s*$|^\s+at |^Node\.js v/;

/** What a worker said last on stderr, in one line. */
export function lastWords(stderr: string): string {
  const said = stderr.split("\n").filter((line) => !NO_WORDS.test(line));
  const last = said.slice(-6).map((line) => line.trim());
  return last.join(" ").slice(0, 600);
}
