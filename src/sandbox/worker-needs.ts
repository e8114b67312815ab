/**
 * What every worker of a sandbox is made of: Node, the worker's files, and what ties it to its host. Finds; starts nothing
 * but a trial of setpriv.
 */

import type { WorkerNeeds } from "./launchers/launcher.ts";
import { findSetpriv } from "./spawn.ts";
import { findWorkerFiles } from "./worker-files.ts";
import { findWorkerNode } from "./worker-node.ts";

/** @param workerNode the operator's choice; null: the `node` package, else the host's own. @throws SandboxError ENGINE_UNAVAILABLE */
export function findWorkerNeeds(workerNode: string | null): WorkerNeeds {
  return { node: findWorkerNode(workerNode), files: findWorkerFiles(), setpriv: findSetpriv() };
}
