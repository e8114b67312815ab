/**
 * The plain launcher: a child process with an empty environment, Node's permission model, limits of the kernel, and a
 * death tied to its parent's. Layer 3 and no more: it makes no namespace and no system call filter.
 */

import { limitResources, workerArguments, workerEnvironment, workerMemoryMb } from "../worker-command.ts";
import type { Command, Launcher, LaunchPlan, OpenLauncher, WorkerNeeds } from "./launcher.ts";

/** Where there is no setpriv: a shell that waits for the end of fd 3, beside the worker that it became. */
const DEAD_MAN = '( read -r word <&3 && exit 0; kill -9 $$ ) </dev/null >/dev/null 2>&1 & exec "$@" 3<&-';

function command(plan: LaunchPlan): Command {
  const env = workerEnvironment(plan);
  const node = [plan.node.path, ...workerArguments(plan, process.pid)];
  if (process.platform === "win32") return { path: node[0] ?? "", args: node.slice(1), env, lifeline: false };
  const worker = limitResources(node, plan.language);
  const [path = "", ...args] =
    plan.setpriv !== null
      ? [plan.setpriv, "--pdeathsig", "KILL", "--", ...worker]
      : ["/bin/sh", "-c", DEAD_MAN, "sallyport-worker", ...worker];
  return { path, args, env, lifeline: plan.setpriv === null, wallMb: workerMemoryMb(plan.language) };
}

export const processLauncher = {
  name: "process",
  command,
  async open({ setpriv }: WorkerNeeds): Promise<OpenLauncher> {
    const byShell = process.platform === "win32" ? null : "a shell that waits beside it";
    const diesBy = setpriv !== null ? "the kernel's parent-death signal" : byShell;
    return { diesBy, command, close: async () => {} };
  },
} as const satisfies Launcher & Pick<OpenLauncher, "command">;
