/**
 * Starts processes: workers, tools of the system, and watchers that outlive the host by a moment.
 * Must hand no worker and no watcher anything of the host that its command does not name: no environment, folder or file.
 */

import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { existsSync, writeSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { Command } from "./launchers/launcher.ts";

export type WorkerChild = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };

const LIFELINE = 3;
const DATA = 4;

export function spawnWorker(command: Command): WorkerChild {
  const extra = command.data !== undefined ? LIFELINE + 2 : command.lifeline ? LIFELINE + 1 : LIFELINE;
  const child = spawn(command.path, command.args, {
    env: command.env,
    cwd: "/",
    windowsHide: true,
    stdio: Array.from({ length: extra }, (_, fd) => (fd === LIFELINE && !command.lifeline ? "ignore" : "pipe")),
  }) as WorkerChild;
  // A host that has no file descriptor left gets a child without streams: it ends with an error event, as others do.
  const streams = (child.stdio ?? []) as readonly unknown[];
  const data = streams[DATA] as Writable | undefined;
  data?.on("error", () => {});
  data?.end(command.data);
  const lifeline = streams[LIFELINE] as Writable | null | undefined;
  if (lifeline) {
    lifeline.on("error", () => {});
    // A word before the end tells the shell that waits that the worker ended first.
    child.once("exit", () => lifeline.end("ended\n"));
  }
  // None of them holds the host's event loop: whoever waits for the worker does, and says so.
  for (const handle of [child, ...streams]) unref(handle);
  return child;
}

function unref(handle: unknown): void {
  (handle as { unref?: () => void } | null | undefined)?.unref?.();
}

let setpriv: string | null | undefined;

/** A setpriv of util-linux that can tie a child's death to its parent's; looked for once. */
export function findSetpriv(): string | null {
  if (setpriv !== undefined) return setpriv;
  const candidates = process.platform === "linux" ? ["/usr/bin/setpriv", "/bin/setpriv"] : [];
  setpriv =
    candidates.find(
      (path) =>
        existsSync(path) && spawnSync(path, ["--pdeathsig", "KILL", "--", "true"], { timeout: 5000 }).status === 0,
    ) ?? null;
  return setpriv;
}

export interface ToolEnd {
  /** Exit code; null where the tool could not be started or was ended by a signal. */
  status: number | null;
  stdout: string;
  stderr: string;
}

const TOOL_TIMEOUT_MS = 10_000;

/** Runs one of the system's own programs to its end, with an environment of its own. Never throws. */
export function runTool(
  path: string,
  args: readonly string[],
  env: Record<string, string> = {},
  timeoutMs = TOOL_TIMEOUT_MS,
): Promise<ToolEnd> {
  return new Promise((resolve) => {
    execFile(path, args, { env, cwd: "/", timeout: timeoutMs, maxBuffer: 1 << 22 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : null;
      resolve({ status: code, stdout, stderr: stderr || (code === null ? (error?.message ?? "") : "") });
    });
  });
}

/** Runs a command as a worker is run, to its end; it is killed after 10 seconds. */
export function runCommand(command: Command): Promise<ToolEnd> {
  return new Promise((resolve) => {
    const child = spawnWorker(command);
    let [stdout, stderr] = ["", ""];
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, TOOL_TIMEOUT_MS);
    const end = (status: number | null, why: string) => {
      clearTimeout(timer);
      resolve({ status, stdout, stderr: stderr || (status === null ? why : "") });
    };
    child.once("error", ({ message }) => end(null, message));
    child.once("close", (status, signal) =>
      end(status, isLate ? `there was no end after ${TOOL_TIMEOUT_MS} ms` : `ended with ${signal}`),
    );
    // A host that has no file descriptor left gets a child without streams.
    const streams: Partial<WorkerChild> = child;
    streams.stdin?.on("error", () => {}).end();
    streams.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    streams.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
  });
}

/** Longest that a watcher may work when its input has ended: a container engine may hang. */
const LAST_WORK_MS = 15_000;

/** A process that outlives the host by a moment: it sees the end of its input, and nothing else of the host. */
export interface Watcher {
  /** Of the pipe to it: any thread may write there. It is nobody else's number before `close`, even if the watcher is gone. */
  readonly fd: number;
  /** It was ended by another's hand. */
  readonly hasEnded: boolean;
  /** Resolves when it has ended, for whatever reason. */
  readonly whenEnded: Promise<void>;
  tell(words: string): void;
  /** Ends its input, and waits until it has done what it does then. */
  close(): Promise<void>;
}

/** @throws Error where it cannot be started */
export function spawnWatcher(path: string, args: readonly string[], env: Record<string, string>): Watcher {
  // In a group of its own: what ends the host's group, as Ctrl-C does, leaves it to do its work.
  const child = spawn(path, args, { env, cwd: "/", stdio: ["pipe", "ignore", "ignore"], detached: true });
  child.on("error", () => {});
  // A host that has no file descriptor left gets a child without streams.
  const stdin: Writable | undefined = child.stdin ?? undefined;
  stdin?.on("error", () => {});
  const fd = (stdin as { _handle?: { fd?: number } } | undefined)?._handle?.fd ?? -1;
  if (child.pid === undefined || stdin === undefined || fd < 0) throw new Error(`${path} cannot be started`);
  // Node closes the pipe of a child that has ended, and its number would be another file's while it is still written to.
  (child as { stdin: Writable | null }).stdin = null;
  child.unref();
  unref(stdin);
  let isOpen = true;
  let hasEnded = false;
  const whenEnded = new Promise<void>((resolve) => {
    child.once("exit", () => {
      hasEnded = true;
      resolve();
    });
  });
  return {
    fd,
    get hasEnded() {
      return hasEnded;
    },
    whenEnded,
    tell(words) {
      if (!isOpen) return;
      try {
        writeSync(fd, `${words}\n`);
      } catch {
        // It has ended: what it had to do it has done.
      }
    },
    async close() {
      isOpen = false;
      child.ref();
      stdin.destroy();
      const timer = setTimeout(() => child.kill("SIGKILL"), LAST_WORK_MS);
      await whenEnded;
      clearTimeout(timer);
    },
  };
}

export interface KeptWatcher {
  /** The one that works now. @throws Error where none can be started */
  current(): Watcher;
  /** To the last one, whether it works or not. */
  tell(words: string): void;
  /** @param lastWords told to each before its input ends */
  close(lastWords?: string): Promise<void>;
}

/** A watcher from its first need on, and a successor where it was ended by another's hand. */
export function keepWatcher(start: () => Watcher): KeptWatcher {
  // All of them: a thread may still write to the pipe of one that is gone.
  const started: Watcher[] = [];
  let isClosed = false;
  return {
    current() {
      const last = started.at(-1);
      if (last !== undefined && (isClosed || !last.hasEnded)) return last;
      const next = start();
      started.push(next);
      return next;
    },
    tell: (words) => started.at(-1)?.tell(words),
    async close(lastWords) {
      isClosed = true;
      if (lastWords !== undefined) for (const watcher of started) watcher.tell(lastWords);
      await Promise.all(started.map((watcher) => watcher.close()));
    },
  };
}
