/**
 * What a launcher is to the sandbox: it says whether it can run here, and turns "start a worker" into a command.
 * It starts no worker itself.
 */

import type { Language } from "../../types.ts";
import type { WorkerFiles } from "../worker-files.ts";
import type { WorkerNode } from "../worker-node.ts";

/** A prober tries what is forbidden and says how far it came; it runs no program. `snapshot` builds Python's. */
export type WorkerRole = "runner" | "inspector" | "prober" | "snapshot" | TakenOver;

/** A prober without Node's permission model, as after an exploit: shows what the launcher's walls hold. Is given no program. */
export type TakenOver = "taken-over";

/** What every worker of a sandbox is made of. */
export interface WorkerNeeds {
  node: WorkerNode;
  files: WorkerFiles;
  /** Path of a setpriv that can end a child with its parent; null where there is none. */
  setpriv: string | null;
}

export interface LaunchPlan extends WorkerNeeds {
  language: Language;
  role: WorkerRole;
  /** Fresh interpreters that a runner holds ready ahead, where its language needs long to make one; 1 where absent. */
  prepared?: number;
  env: Readonly<Record<string, string>>;
  /** Whether V8 only interprets: no compiled code, no WebAssembly. */
  jitless?: boolean;
}

export interface Command {
  path: string;
  args: string[];
  env: Record<string, string>;
  /** Whether the command needs a pipe on fd 3 that ends with the host. */
  lifeline: boolean;
  /** What the command reads from fd 4, where it is given. */
  data?: Uint8Array;
  /**
   * The process id of the worker itself, as the host sees it, where it is another than that of the command.
   * Asked when the worker is ready; null where it cannot be seen.
   */
  findWorker?(commandPid: number): number | null;
  /** Memory of the whole worker, kept by a cgroup of its own where the host may make one; the launcher's business where absent. */
  wallMb?: number;
  /** Where ending the command does not end the worker: who ends it by its number, on a word written to a pipe. */
  undertaker?: { fd: number; serial: number };
  /** Ends the worker by its name, with or without the command. */
  endByName?(): void;
  /** Ends what the command may have left running; called when it has exited. */
  sweep?(): void;
  /** Told when the worker is no more. */
  whenEnded?(): void;
}

/** Why a launcher cannot run here, and what would help. */
export interface Unavailable {
  reason: string;
  remedy: string;
}

/** A launcher that can run here, with what it has prepared. */
export interface OpenLauncher {
  /** What ties a worker's death to the host's, in words; null where nothing does. */
  readonly diesBy: string | null;
  /** Why workers have root's user id outside, in words, where they have it and should not. */
  readonly staysRoot?: string;
  /** @throws Error where the worker cannot come up, with what to do */
  command(plan: LaunchPlan): Command;
  /** Gives back what was prepared, after the last worker has ended. Idempotent. */
  close(): Promise<void>;
}

export interface Launcher {
  readonly name: string;
  /** Looks whether it can run here, by trying, and prepares what every worker of these needs shares. Never throws. */
  open(needs: WorkerNeeds): Promise<OpenLauncher | Unavailable>;
}
