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

/**
 * The first process of a container that has this text as its last argument; null where the host does not see it, as on a
 * machine whose containers run in a virtual one.
 */
export function findByArgument(text: string): number | null {
  for (const name of process.platform === "linux" ? readdirSync("/proc") : []) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (!readFileSync(`/proc/${name}/cmdline`, "utf8").endsWith(`\0${text}\0`)) continue;
      const ids = /^NSpid:\s*(.*)$/m.exec(readFileSync(`/proc/${name}/status`, "latin1"))?.[1]?.split(/\s+/) ?? [];
      if (ids.length > 1 && ids.at(-1) === "1") return Number(name);
    } catch {
      // It ended while it was looked at.
    }
  }
  return null;
}
