/**
 * What the host sees of a worker from the outside, in /proc: namespaces, filters, privileges, limits.
 * Reads only. What cannot be read is null, and null is never taken for a defence.
 */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { memoryGroupOf, readLimit } from "../cgroup.ts";

export const NAMESPACES = ["mnt", "net", "pid", "user", "ipc", "uts", "cgroup"] as const;
export type Namespace = (typeof NAMESPACES)[number];

export interface OutsideView {
  /** Whether the worker is in another namespace than this process. */
  namespaces: Record<Namespace, boolean | null>;
  /** Interfaces of its network beside the loopback. */
  interfaces: string[] | null;
  /** Seccomp mode: 0 none, 2 a filter. */
  seccomp: number | null;
  noNewPrivileges: boolean | null;
  /** Its user id, as this host counts them. */
  userId: number | null;
  /** Whether it holds no capability at all. */
  hasNoCapabilities: boolean | null;
  /** Names in the environment that it was started with. */
  environment: string[] | null;
  /** What is mounted read-write for it, beside /proc and devices. */
  writableMounts: string[] | null;
  limits: {
    coreBytes: number | null;
    fileBytes: number | null;
    openFiles: number | null;
    addressBytes: number | null;
  } | null;
  /** The limit of its memory cgroup where that is not the host's own. */
  cgroupMemoryBytes: number | null;
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

const readText = (path: string): string => readFileSync(path, "utf8");

function readNamespaces(pid: number): OutsideView["namespaces"] {
  const differs = (name: Namespace) =>
    attempt(() => readlinkSync(`/proc/${pid}/ns/${name}`) !== readlinkSync(`/proc/self/ns/${name}`));
  return Object.fromEntries(NAMESPACES.map((name) => [name, differs(name)])) as OutsideView["namespaces"];
}

/** Interfaces in the worker's network namespace, by its own table. */
function readInterfaces(pid: number): string[] | null {
  return attempt(() =>
    readText(`/proc/${pid}/net/dev`)
      .split("\n")
      .slice(2)
      .flatMap((line) => line.split(":")[0]?.trim() || [])
      .filter((name) => name !== "lo"),
  );
}

const PSEUDO = /^(proc|sysfs|devtmpfs|devpts|mqueue|cgroup2?)$/;

function readWritableMounts(pid: number): string[] | null {
  return attempt(() =>
    readText(`/proc/${pid}/mounts`)
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(" "))
      .filter(([, , type = "", options = ""]) => options.split(",").includes("rw") && !PSEUDO.test(type))
      // Root's own folders of devices and the like: nobody else writes there.
      .filter(([, , type, options = ""]) => !(type === "tmpfs" && /\bmode=755\b/.test(options)))
      .map(([, place = ""]) => place),
  );
}

function readLimits(pid: number): OutsideView["limits"] {
  return attempt(() => {
    const text = readText(`/proc/${pid}/limits`);
    const soft = (name: string): number | null => {
      const value = new RegExp(`^${name}\\s+(\\S+)`, "m").exec(text)?.[1];
      return value === undefined || value === "unlimited" ? null : Number(value);
    };
    return {
      coreBytes: soft("Max core file size"),
      fileBytes: soft("Max file size"),
      openFiles: soft("Max open files"),
      addressBytes: soft("Max address space"),
    };
  });
}

function readCgroupLimit(pid: number): number | null {
  const group = memoryGroupOf(pid);
  if (group === null || group.path === memoryGroupOf("self")?.path) return null;
  return readLimit(group);
}

/** @param pid of the worker itself, as this host sees it */
export function lookAtWorker(pid: number): OutsideView {
  const status = attempt(() => readText(`/proc/${pid}/status`)) ?? "";
  const field = (name: string): string | null => new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(status)?.[1] ?? null;
  const seccomp = field("Seccomp");
  const userId = field("Uid");
  const privileges = field("NoNewPrivs");
  const capabilities = ["CapPrm", "CapEff", "CapInh", "CapAmb"].map(field);
  return {
    namespaces: readNamespaces(pid),
    interfaces: readInterfaces(pid),
    seccomp: seccomp === null ? null : Number(seccomp),
    noNewPrivileges: privileges === null ? null : privileges === "1",
    userId: userId === null ? null : Number(userId),
    hasNoCapabilities: capabilities.includes(null) ? null : capabilities.every((set) => /^0+$/.test(set ?? "")),
    environment: attempt(() =>
      readText(`/proc/${pid}/environ`)
        .split("\0")
        .filter(Boolean)
        .map((entry) => entry.split("=")[0] ?? ""),
    ),
    writableMounts: readWritableMounts(pid),
    limits: readLimits(pid),
    cgroupMemoryBytes: readCgroupLimit(pid),
  };
}
