/**
 * Whether workers can be started in namespaces here, and as which user: by a start like a worker's own, with its root, limits
 * and filter, that opens every file which workers may need. Judges by what came of it, never by modes alone.
 */

import { existsSync, readFileSync } from "node:fs";
import type { Command, Unavailable } from "./launchers/launcher.ts";
import { runCommand } from "./spawn.ts";

/** What a user was seen to be able to do here. */
export interface Tried<User> {
  user: User;
  /** Files and folders of workers that are closed to that user. */
  closed: readonly string[];
}

/**
 * For the worker's Node: prints what it may not open of its arguments and all that is below them. What a link leads to is there
 * by itself, or for nobody.
 */
const OPEN_ALL = `
const { closeSync, openSync, readdirSync, statSync } = require("node:fs");
const closed = [];
function look(path) {
  try {
    if (!statSync(path).isDirectory()) return closeSync(openSync(path));
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory() || entry.isFile()) look(path + "/" + entry.name);
    }
  } catch ({ code }) {
    if (code === "EACCES" || code === "EPERM") closed.push(path);
  }
}
process.argv.slice(1).forEach(look);
process.stdout.write(JSON.stringify(closed));
`;

function readNumber(path: string): number | null {
  try {
    return Number(readFileSync(path, "latin1"));
  } catch {
    return null;
  }
}

/** What stands in the way of a worker in namespaces, as far as the system says it. */
function findRemedy(said: string): string {
  if (/seccomp/i.test(said)) return "Use a kernel with filters of system calls, or --containment container.";
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

async function tryUser<User>(
  user: User,
  start: (user: User, program: readonly string[]) => Command,
  paths: readonly string[],
): Promise<Tried<User> | Unavailable> {
  const { status, stdout, stderr } = await runCommand(start(user, ["-e", OPEN_ALL, ...paths]));
  if (status === 0) return { user, closed: JSON.parse(stdout) as string[] };
  const said = stderr.trim().split("\n").at(-1)?.slice(0, 200) || `it ended with ${status}`;
  return { reason: said, remedy: findRemedy(said) };
}

const isBelow = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

/** The first that is closed of what is in these folders, and what to do. */
export function findClosed({ closed }: { closed: readonly string[] }, folders: readonly string[]): Unavailable | null {
  const first = closed.find((path) => isBelow(path, folders));
  if (first === undefined) return null;
  return {
    reason: `${first} is closed to the user that workers would run as`,
    remedy: `Let everybody read it: chmod -R a+rX ${JSON.stringify(first)}.`,
  };
}

/**
 * The first of the users that can start a worker and open all of `paths`; else the first to which nothing is closed of what no
 * sandbox can do without; else why there is none.
 */
export async function chooseUser<User>(
  users: readonly User[],
  start: (user: User, program: readonly string[]) => Command,
  paths: readonly string[],
  findEssential: () => readonly string[],
): Promise<{ chosen: Tried<User>; before: Tried<User> | Unavailable | null } | Unavailable> {
  const ends: (Tried<User> | Unavailable)[] = [];
  for (const user of users) {
    const end = await tryUser(user, start, paths);
    if ("user" in end && end.closed.length === 0) return { chosen: end, before: ends.at(-1) ?? null };
    ends.push(end);
  }
  const essential = findEssential();
  const problems = ends.map((end) => ("user" in end ? findClosed(end, essential) : end));
  const index = problems.indexOf(null);
  const chosen = ends[index];
  if (chosen !== undefined && "user" in chosen) return { chosen, before: ends[index - 1] ?? null };
  return problems.at(-1) ?? { reason: "no user may run workers here", remedy: findRemedy("") };
}
