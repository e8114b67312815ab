/**
 * bubblewrap: a worker in namespaces of its own, without a network, in a read-only root that holds the worker's files and
 * nothing else, behind a filter of system calls. Never assumes that user namespaces are allowed: it tries.
 */

import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { endByArgument, findInnermost } from "../descendants.ts";
import { findSharedLibraries } from "../libraries.ts";
import { compileFilter, isMachine } from "../seccomp/filter.ts";
import { keepWatcher, runTool, spawnWatcher, type Watcher } from "../spawn.ts";
import { limitResources, workerArguments, workerEnvironment, workerMemoryMb } from "../worker-command.ts";
import type { Command, Launcher, LaunchPlan, OpenLauncher, Unavailable, WorkerNeeds } from "./launcher.ts";

const PLACES = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
/** Where every loader looks by itself; libraries elsewhere are found through its cache. */
const LOADER_FOLDERS = /^\/(usr\/)?lib(64|\/[\w-]+)?\/[^/]+$/;
const LOADER_CACHE = "/etc/ld.so.cache";
const NOBODY = "65534";
const FILTER_FD = "4";
/** Of the worker: bubblewrap's own first process in the namespace. */
const PARENT_PID = 1;
/** bubblewrap outside, bubblewrap inside, the worker. */
const DEPTH = 2;

const ISOLATION = [
  "--unshare-all",
  "--die-with-parent",
  "--new-session",
  "--clearenv",
  ...["--cap-drop", "ALL", "--uid", NOBODY, "--gid", NOBODY, "--hostname", "sallyport"],
];

/** A file or folder at its own path; a link as a link, so that Node finds packages as it does outside. */
function bind(path: string): string[] {
  if (!lstatSync(path).isSymbolicLink()) return ["--ro-bind", path, path];
  return realpathSync(dirname(path)) === dirname(path)
    ? ["--symlink", realpathSync(path), path]
    : ["--ro-bind", realpathSync(path), path];
}

/** Without what is below another: it is there already, and a mount over a read-only folder could not be made. */
function outermost(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) => !unique.some((other) => path.startsWith(`${other}/`)));
}

function rootArguments({ files, node }: WorkerNeeds, libraries: readonly string[]): string[] {
  const loader = libraries.map((path) => ["--ro-bind", path, path]).flat();
  const cache =
    libraries.every((path) => LOADER_FOLDERS.test(path)) || !existsSync(LOADER_CACHE)
      ? []
      : ["--ro-bind", LOADER_CACHE, LOADER_CACHE];
  return [
    ...loader,
    ...cache,
    ...["--ro-bind", realpathSync(node.path), node.path],
    ...outermost(files.folders).flatMap(bind),
    ...["--proc", "/proc", "--dev-bind", "/dev/null", "/dev/null", "--dev-bind", "/dev/urandom", "/dev/urandom"],
    ...["--remount-ro", "/", "--chdir", "/"],
  ];
}

function readNumber(path: string): number | null {
  try {
    return Number(readFileSync(path, "latin1"));
  } catch {
    return null;
  }
}

/** What stands in the way of a namespace, as far as the system says it. */
function findRemedy(): string {
  if (readNumber("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") === 1) {
    return "AppArmor forbids user namespaces (Ubuntu 23.10 and newer): sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap that has `userns,`.";
  }
  if (readNumber("/proc/sys/kernel/unprivileged_userns_clone") === 0) {
    return "The kernel forbids user namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1.";
  }
  if (readNumber("/proc/sys/user/max_user_namespaces") === 0) {
    return "The kernel allows no user namespaces: sudo sysctl -w user.max_user_namespaces=15000.";
  }
  if (existsSync("/.dockerenv") || existsSync("/run/.containerenv")) {
    return "This runs in a container that forbids namespaces: the container itself is then the containment that there is, or start it with a seccomp profile that allows them.";
  }
  return "Allow unprivileged user namespaces, or use --containment container.";
}

/** Node in a worker's own root: the host's whole root would bring the mounts of others, which may vanish meanwhile. */
function makeTrial(needs: WorkerNeeds, libraries: readonly string[]): string[] {
  return [...ISOLATION, ...rootArguments(needs, libraries), "--", needs.node.path, "--version"];
}

async function tryNamespaces(path: string, trial: readonly string[]): Promise<Unavailable | null> {
  const { status, stderr } = await runTool(path, [...trial]);
  if (status === 0) return null;
  return {
    reason: stderr.trim().split("\n").at(-1)?.slice(0, 200) || `bwrap ended with ${status}`,
    remedy: findRemedy(),
  };
}

/**
 * A host that is root gives up being root before bubblewrap starts: inside, the worker would else be root's user id, if
 * without any capability. Where nobody else may make namespaces or read the worker's files, it stays what it is.
 */
async function findUser(path: string, { setpriv }: WorkerNeeds, trial: readonly string[]): Promise<string[]> {
  if (process.getuid?.() !== 0 || setpriv === null) return [];
  const args = ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--"];
  const { status } = await runTool(setpriv, [...args, path, ...trial]);
  return status === 0 ? args.slice(0, -1) : [];
}

export const bubblewrapLauncher = {
  name: "bubblewrap",
  async open(needs: WorkerNeeds): Promise<OpenLauncher | Unavailable> {
    if (process.platform !== "linux") {
      return { reason: "bubblewrap needs Linux", remedy: "Use --containment container (Docker or Podman)." };
    }
    const machine = process.arch;
    if (!isMachine(machine)) {
      return { reason: `there is no filter of system calls for ${machine}`, remedy: "Use --containment container." };
    }
    const path = PLACES.find((place) => existsSync(place));
    if (path === undefined) {
      return {
        reason: "bubblewrap is not installed",
        remedy:
          "Install the package bubblewrap (apt-get install bubblewrap, dnf install bubblewrap, apk add bubblewrap).",
      };
    }
    const libraries = await findSharedLibraries(needs.node.path).catch((error: Error) => error);
    if (libraries instanceof Error) {
      return {
        reason: `the libraries of Node cannot be listed: ${libraries.message}`,
        remedy: "Set workerNode to another Node.",
      };
    }
    const trial = makeTrial(needs, libraries);
    const user = await findUser(path, needs, trial);
    const unavailable = user.length > 0 ? null : await tryNamespaces(path, trial);
    if (unavailable) return unavailable;
    const start = { path, user, libraries, filter: compileFilter(machine) };
    const prefix = `sallyport-${randomBytes(8).toString("hex")}-`;
    const sweeper = keepWatcher(() => startSweeper(prefix));
    let serial = 0;
    return {
      diesBy: "bubblewrap, which the kernel ends with the host",
      command(plan) {
        sweeper.current();
        return command({ ...start, name: `${prefix}${serial++}` }, plan);
      },
      close: () => sweeper.close("done"),
    };
  },
} as const satisfies Launcher;

/**
 * bubblewrap that is killed between the making of its first process inside and the word that lets it go on leaves that
 * process behind, tied to nobody. A host that lives looks for it; when the host is gone, this shell does, until there is
 * nothing to be found twice in a row. It learns the name from its input: in its arguments it would find itself.
 */
const SWEEP = `
trap '' INT TERM HUP
read -r name
while read -r word; do [ "$word" = done ] && exit; done
empty=0
while [ $empty -lt 2 ]; do
  empty=$((empty + 1))
  for file in $(printf %s "$name" | grep -lsFf - /proc/[0-9]*/cmdline); do
    pid=\${file#/proc/} last=$(tr '\\0' '\\n' <"$file" 2>/dev/null | tail -n 1)
    case $last in "$name"*) kill -9 "\${pid%/cmdline}" 2>/dev/null && empty=0 ;; esac
  done
  sleep 0.1
done
`;

function startSweeper(prefix: string): Watcher {
  const sweeper = spawnWatcher("/bin/sh", ["-c", SWEEP, "sallyport-undertaker"], { PATH: "/usr/bin:/bin" });
  sweeper.tell(prefix);
  return sweeper;
}

interface Start {
  path: string;
  user: readonly string[];
  libraries: readonly string[];
  filter: Uint8Array;
  /** Last argument of every process of this worker. */
  name: string;
}

function command({ path, user, libraries, filter, name }: Start, plan: LaunchPlan): Command {
  let isUp = false;
  const env = workerEnvironment(plan);
  const limited = limitResources(
    [
      path,
      ...ISOLATION,
      ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
      ...rootArguments(plan, libraries),
      ...["--seccomp", FILTER_FD, "--", plan.node.path, ...workerArguments(plan, PARENT_PID), name],
    ],
    plan.language,
  );
  // Tied to the host from its first moment on: bubblewrap does that for itself only once it is up.
  const tie = plan.setpriv === null ? [] : [plan.setpriv, ...user, "--pdeathsig", "KILL", "--"];
  const [first = "", ...args] = [...tie, ...limited];
  return {
    path: first,
    args,
    env: {},
    lifeline: false,
    wallMb: workerMemoryMb(plan.language),
    data: filter,
    findWorker(commandPid) {
      const pid = findInnermost(commandPid, DEPTH);
      isUp = pid !== null;
      return pid;
    },
    // What is up goes with the command, by the kernel's doing.
    sweep() {
      if (!isUp) endByArgument(name);
    },
  };
}
