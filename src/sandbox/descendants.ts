/**
 * Finds a worker behind the commands that started it, from the outside, in the host's own numbering of processes.
 * Linux only: reads /proc.
 */

import { readdirSync, readFileSync } from "node:fs";

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
  } catch {
    return childrenByParent(pid);
  }
}

/** Where the kernel was built without the list of children: by everybody's parent. */
function childrenByParent(pid: number): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      return parent === pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** The last of a chain of processes that each have one child; null where it is no chain, or `depth` is not reached. */
export function findInnermost(pid: number, depth: number): number | null {
  let current = pid;
  for (let level = 0; level < depth; level++) {
    const [child, ...others] = childrenOf(current);
    if (child === undefined || others.length > 0) return null;
    current = child;
  }
  return current;
}

/** Processes whose arguments one may read and that pass, with their arguments, each ended by a zero byte. */
function findByArguments(fits: (cmdline: string) => boolean): number[] {
  const names = process.platform === "linux" ? readdirSync("/proc") : [];
  return names.flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return fits(readFileSync(`/proc/${name}/cmdline`, "utf8")) ? [Number(name)] : [];
    } catch {
      // It ended while it was looked at.
      return [];
    }
  });
}

/** Whether it is the first process of a namespace of its own. */
function isFirst(pid: number): boolean {
  try {
    const ids = /^NSpid:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]?.split(/\s+/) ?? [];
    return ids.length > 1 && ids.at(-1) === "1";
  } catch {
    return false;
  }
}

/**
 * The first process of a container that has this text as its last argument; null where the host does not see it, as on a
 * machine whose containers run in a virtual one.
 */
export function findByArgument(text: string): number | null {
  return findByArguments((cmdline) => cmdline.endsWith(`\0${text}\0`)).find(isFirst) ?? null;
}

/** Ends every process that has this text, which must be nobody else's, as its last argument. */
export function endByArgument(text: string): void {
  for (const pid of findByArguments((cmdline) => cmdline.endsWith(`\0${text}\0`))) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It was the first to go, or another's.
    }
  }
}
