/**
 * What a launcher is to the pool: it turns "start a worker" into a command. It starts nothing itself.
 */

import type { Layer } from "../../types.ts";
import type { WorkerFiles } from "../worker-files.ts";
import type { WorkerNode } from "../worker-node.ts";

export type WorkerRole = "runner" | "inspector";

export interface LaunchPlan {
  node: WorkerNode;
  files: WorkerFiles;
  role: WorkerRole;
  env: Readonly<Record<string, string>>;
  /** Path of a setpriv that can end a child with its parent; null where there is none. */
  setpriv: string | null;
}

export interface Command {
  path: string;
  args: string[];
  env: Record<string, string>;
  /** Whether the command needs a pipe on fd 3 that ends with the host. */
  lifeline: boolean;
}

export interface Launcher {
  readonly name: string;
  command(plan: LaunchPlan): Command;
  layers(plan: LaunchPlan): Layer[];
}
