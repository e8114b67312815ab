/**
 * The only file that starts processes. Pipes on the three standard streams, nothing inherited.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { Command } from "./launchers/launcher.ts";

export type WorkerChild = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };

export function spawnWorker(command: Command): WorkerChild {
  const child = spawn(command.path, command.args, {
    env: command.env,
    cwd: "/",
    windowsHide: true,
    stdio: ["pipe", "pipe", "pipe", ...(command.lifeline ? (["pipe"] as const) : [])],
  }) as WorkerChild;
  const lifeline = child.stdio[3] as Writable | undefined;
  if (lifeline) {
    lifeline.on("error", () => {});
    // A word before the end tells the shell that waits that the worker ended first.
    child.once("exit", () => lifeline.end("ended\n"));
    unref(lifeline);
  }
  return child;
}

/** Whether a stream or a child keeps the host's event loop alive. */
export function unref(handle: object): void {
  (handle as { unref?: () => void }).unref?.();
}

export function ref(handle: object): void {
  (handle as { ref?: () => void }).ref?.();
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
