/**
 * The layers outside of the process: what the kernel keeps of a worker. Each from what was seen, and with what would bring it.
 * Pure: looks at nothing itself.
 */

import type { Namespace } from "./outside.ts";
import {
  allFailed,
  CONTAIN,
  type Draft,
  describeAttempts,
  fromOutside,
  has,
  LINUX,
  NODE_THAT_BLOCKS_NETWORK,
  type Sight,
} from "./sight.ts";

const FILE_ATTEMPTS = ["read a file", "list a folder", "write a file"];

export function filesystem(sight: Sight): Draft {
  const failed = allFailed(sight, ...FILE_ATTEMPTS);
  const root = has(sight, "mnt") && sight.outside?.writableMounts?.length === 0;
  return {
    active: failed === null ? true : failed,
    probed: failed === null ? (root ? "outside" : "stated") : root ? "inside and outside" : "inside",
    detail:
      failed === false
        ? describeAttempts(sight, ...FILE_ATTEMPTS)
        : root
          ? "a read-only root of the worker's own files, and no place to write"
          : "Node's permission model alone: a V8 exploit reads and writes what this user may",
    ...(root ? {} : { remedy: CONTAIN }),
  };
}

export function network(sight: Sight): Draft {
  const failed = allFailed(sight, "connect");
  const isAbsent = has(sight, "net") && sight.outside?.interfaces?.length === 0;
  const byModel = Number(sight.nodeVersion.split(".")[0]) >= NODE_THAT_BLOCKS_NETWORK;
  const active = failed === false ? false : isAbsent || (failed ?? byModel);
  const remedy = `Node ${NODE_THAT_BLOCKS_NETWORK} for workers (npm install node@${NODE_THAT_BLOCKS_NETWORK}), whose permission model blocks it; better: ${CONTAIN}`;
  return {
    active,
    probed: failed === null ? (isAbsent ? "outside" : "stated") : isAbsent ? "inside and outside" : "inside",
    detail: isAbsent
      ? "a network namespace without any interface"
      : active
        ? "Node's permission model alone: a V8 exploit reaches the network"
        : `not blocked: the permission model of Node ${sight.nodeVersion} does not cover the network (${describeAttempts(sight, "connect")})`,
    ...(isAbsent ? {} : { remedy: active ? CONTAIN : remedy }),
  };
}

export function pidNamespace(sight: Sight): Draft {
  const failed = allFailed(sight, "signal the host");
  const active = has(sight, "pid") && failed !== false;
  return {
    active,
    probed: failed === null ? "outside" : "inside and outside",
    detail: active
      ? "the worker sees no process of the host, and can signal none"
      : `shared with the host (${describeAttempts(sight, "signal the host")}): a V8 exploit may signal what this user may`,
    ...(active ? {} : { remedy: CONTAIN }),
  };
}

const BY_BUBBLEWRAP = "Use --containment bubblewrap, which makes one.";

export function namespace(sight: Sight, name: Namespace, what: string): Draft {
  const seen = sight.outside?.namespaces[name] ?? null;
  return {
    active: seen === true,
    probed: "outside",
    detail: seen === true ? what : seen === null ? "cannot be seen from here" : "shared with the host",
    ...(seen === true ? {} : { remedy: sight.containment === "container" ? BY_BUBBLEWRAP : CONTAIN }),
  };
}

/** Weaker than another's: what a bug in the kernel gives to that user id is the whole machine. */
export function rootOutside({ outside, staysRoot }: Sight): string {
  if (outside?.userId !== 0) return "";
  return `; outside it is root's, without any capability${staysRoot === null ? "" : `: ${staysRoot}`}`;
}

export function rlimits({ outside }: Sight): Draft {
  const limits = outside?.limits ?? null;
  const active = limits !== null && limits.coreBytes === 0 && limits.fileBytes === 0 && limits.openFiles !== null;
  const space = limits?.addressBytes ? `, ${Math.round(limits.addressBytes / 2 ** 30)} GiB of addresses` : "";
  return fromOutside(
    limits === null ? null : active,
    `no core dump, no file written, ${limits?.openFiles} files open${space}`,
    "the limits of the host hold for the worker",
    LINUX,
  );
}

export function cgroup({ outside }: Sight): Draft {
  const bytes = outside?.cgroupMemoryBytes ?? null;
  return {
    active: bytes !== null,
    probed: "outside",
    detail:
      bytes !== null
        ? `the kernel ends the worker above ${Math.round(bytes / 2 ** 20)} MiB`
        : "no memory limit of the kernel's own: the watchdog alone, which polls",
    ...(bytes !== null
      ? {}
      : {
          remedy:
            "Use --containment container, whose engine makes one; or run the host where it may make memory cgroups below its own (version 1: as root; version 2: where its group hands the controller on).",
        }),
  };
}

/** What a launcher promises, each as it was seen: one that is missing, or cannot be seen, is not made up for by the others. */
function missingWalls(sight: Sight): string[] {
  const { outside } = sight;
  const walls: [string, boolean][] = [
    ["a root of its own", has(sight, "mnt") && outside?.writableMounts?.length === 0],
    ["no network", has(sight, "net") && outside?.interfaces?.length === 0],
    ["no other process", has(sight, "pid")],
    ["a filter of system calls", outside?.seccomp === 2],
  ];
  return walls.flatMap(([wall, isSeen]) => (isSeen ? [] : [wall]));
}

export function containment(sight: Sight): Draft {
  const missing = missingWalls(sight);
  const active = sight.containment !== "process" && missing.length === 0;
  return {
    active,
    probed: "outside",
    detail: active
      ? `${sight.containment}: a V8 exploit meets an empty root, no network, no other process, and a filter of system calls`
      : sight.containment === "process"
        ? "none: a V8 exploit is this user, behind nothing but Node's permission model, which it steps over"
        : `${sight.containment} was asked for, and this is not seen of it: ${missing.join(", ")}`,
    ...(active ? {} : { remedy: CONTAIN }),
  };
}
