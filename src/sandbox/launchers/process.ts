/**
 * The plain launcher: a child process with an empty environment, Node's permission model, and a death tied to its parent's.
 * Layer 3 and no more: it claims no namespace and no system call filter.
 */

import { statSync } from "node:fs";
import type { Command, Launcher, LaunchPlan } from "./launcher.ts";

/** Where there is no setpriv: a shell that waits for the end of fd 3, beside the worker that it became. */
const DEAD_MAN = '( read -r word <&3 && exit 0; kill -9 $$ ) </dev/null >/dev/null 2>&1 & exec "$@" 3<&-';

function nodeArguments({ files, role, env }: LaunchPlan): string[] {
  const readable = files.folders.map((path) => (statSync(path).isDirectory() ? `${path}/` : path));
  return [
    "--permission",
    "--allow-addons",
    // node-gyp-build looks at the last one to tell musl from glibc, and does not load without it.
    ...[...readable, "/etc/alpine-release"].map((path) => `--allow-fs-read=${path}`),
    "--no-node-snapshot",
    "--disable-warning=PERM0001",
    "--disable-warning=ExperimentalWarning",
    files.entry,
    role,
    String(process.pid),
    Object.keys(env).join(","),
  ];
}

export const processLauncher: Launcher = {
  name: "process",
  command(plan): Command {
    const worker = [plan.node.path, ...nodeArguments(plan)];
    const env = { TZ: "UTC", LC_ALL: "en_US.UTF-8", ...plan.env };
    const [path = "", ...args] =
      plan.setpriv !== null
        ? [plan.setpriv, "--pdeathsig", "KILL", "--", ...worker]
        : process.platform === "win32"
          ? worker
          : ["/bin/sh", "-c", DEAD_MAN, "sallyport-worker", ...worker];
    return { path, args, env, lifeline: plan.setpriv === null && process.platform !== "win32" };
  },
  layers(plan) {
    const isLinux = process.platform === "linux";
    const deathBy = plan.setpriv !== null ? "the kernel's parent-death signal" : "a shell that waits beside it";
    return [
      { name: "isolate", active: true, detail: "a fresh isolated-vm isolate for every run" },
      { name: "process", active: true, detail: "a worker process, empty environment, Node's permission model" },
      { name: "deadline", active: true, detail: "SIGKILL from a supervisor thread" },
      {
        name: "watchdog",
        active: isLinux,
        detail: isLinux ? "resident memory, read every few milliseconds" : "needs /proc: Linux only",
      },
      {
        name: "dies-with-parent",
        active: process.platform !== "win32",
        detail: process.platform === "win32" ? "not on Windows: an orphan ends at end of input" : `by ${deathBy}`,
      },
      { name: "containment", active: false, detail: "none: no namespaces, no seccomp filter in this version" },
    ];
  },
};
