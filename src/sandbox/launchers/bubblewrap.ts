/**
 * bubblewrap: a worker in namespaces of its own, without a network, in a read-only root that holds the worker's files and
 * nothing else, behind a filter of system calls. Never assumes that user namespaces are allowed: it tries.
 */

import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { endByArgument, findInnermost } from "../descendants.ts";
import { findSharedLibraries } from "../libraries.ts";
import { compileFilter, isMachine } from "../seccomp/filter.ts";
import { keepWatcher, spawnWatcher, type Watcher } from "../spawn.ts";
import { limitResources, workerArguments, workerEnvironment, workerMemoryMb } from "../worker-command.ts";
import { findWorkerFiles } from "../worker-files.ts";
import { chooseUser, findClosed, type Tried } from "../worker-trial.ts";
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
    // Whoever has root's user id writes the kernel's settings below /proc, without any capability.
    ...["--remount-ro", "/proc", "--remount-ro", "/", "--chdir", "/"],
  ];
}

type User = readonly string[];

/** setpriv's arguments. A host that is root should not be root's user id inside, if without any capability. */
const AS_NOBODY: User = ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"];
const AS_HOST: User = [];

/** A host that is root gives up being root before bubblewrap starts, where that other user can do all that workers do. */
function listUsers({ setpriv }: WorkerNeeds): User[] {
  return process.getuid?.() === 0 && setpriv !== null ? [AS_NOBODY, AS_HOST] : [AS_HOST];
}

/** Why a host that is root could not give that up, in words. */
function explainRoot(before: Tried<User> | Unavailable | null): string {
  if (before === null) return "there is no setpriv to give that up with";
  if ("closed" in before) return `${before.closed[0]} is closed to user ${NOBODY} (chmod -R a+rX would open it)`;
  return `user ${NOBODY} may not start a worker here (${before.reason})`;
}

async function open(needs: WorkerNeeds): Promise<OpenLauncher | Unavailable> {
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
  const filter = compileFilter(machine);
  // Every worker's start but for its program. Its limits are those of the language that every sandbox has.
  const start = (user: User, program: readonly string[]): Command =>
    wrap({ path, user, libraries, filter }, { ...needs, language: "javascript" }, {}, program);
  const { folders } = needs.files;
  const found = await chooseUser(listUsers(needs), start, folders, () => findWorkerFiles("javascript").folders);
  if ("reason" in found) return found;
  const { chosen, before } = found;
  const isStillRoot = process.getuid?.() === 0 && chosen.user === AS_HOST;
  const prefix = `sallyport-${randomBytes(8).toString("hex")}-`;
  const sweeper = keepWatcher(() => startSweeper(prefix));
  let serial = 0;
  return {
    diesBy: "bubblewrap, which the kernel ends with the host",
    ...(isStillRoot ? { staysRoot: explainRoot(before) } : {}),
    command(plan) {
      const closed = findClosed(chosen, plan.files.folders);
      if (closed) throw new Error(`${closed.reason}. ${closed.remedy}`);
      sweeper.current();
      return command({ path, user: chosen.user, libraries, filter, name: `${prefix}${serial++}` }, plan);
    },
    close: () => sweeper.close("done"),
  };
}

export const bubblewrapLauncher = {
  name: "bubblewrap",
  open: (needs: WorkerNeeds) =>
    open(needs).catch((error: unknown) => ({
      reason: `a worker cannot be put together: ${error instanceof Error ? error.message : String(error)}`,
      remedy: "Install sallyport again, or run npm run build; in a checkout npm install.",
    })),
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
  user: User;
  libraries: readonly string[];
  filter: Uint8Array;
}

/** Node with `program` as its arguments, in a worker's own root. */
function wrap(
  { path, user, libraries, filter }: Start,
  needs: WorkerNeeds & Pick<LaunchPlan, "language">,
  env: Readonly<Record<string, string>>,
  program: readonly string[],
): Command {
  const limited = limitResources(
    [
      path,
      ...ISOLATION,
      ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
      ...rootArguments(needs, libraries),
      ...["--seccomp", FILTER_FD, "--", needs.node.path, ...program],
    ],
    needs.language,
  );
  // Tied to the host from its first moment on: bubblewrap does that for itself only once it is up.
  const tie = needs.setpriv === null ? [] : [needs.setpriv, ...user, "--pdeathsig", "KILL", "--"];
  const [first = "", ...args] = [...tie, ...limited];
  return { path: first, args, env: {}, lifeline: false, data: filter };
}

/** @param name last argument of every process of this worker */
function command({ name, ...start }: Start & { name: string }, plan: LaunchPlan): Command {
  let isUp = false;
  return {
    ...wrap(start, plan, workerEnvironment(plan), [...workerArguments(plan, PARENT_PID), name]),
    wallMb: workerMemoryMb(plan.language),
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
