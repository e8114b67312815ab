/**
 * The part of a worker's command that is the same under every launcher: Node, its permission model, the entry, and the
 * limits that the kernel keeps. Knows no launcher.
 */

import { statSync } from "node:fs";
import { LIMITS } from "../limits.ts";
import type { Language } from "../types.ts";
import type { LaunchPlan } from "./launchers/launcher.ts";
import { hardStackLimit } from "./process-facts.ts";

/** V8 reserves 0.5 to 0.8 GiB of addresses for each isolate: below 3 GiB it does not start. */
const ADDRESS_SPACE_MB: Record<Language, number> = {
  javascript: 8 * 1024,
  // Every WebAssembly memory reserves some 10 GiB of addresses for its guard regions.
  python: 128 * 1024,
};
export const OPEN_FILES = 64;
/**
 * Of Python's workers, in KiB. CPython ends a recursion by its own stack of 10 MiB, in the interpreter's memory; V8's beside it is
 * so large that it is seldom the first: how much of that a call takes depends on what V8 has compiled by then.
 */
const STACK_KB = 64 * 1024;
/** Left for what is not V8's. */
const STACK_RESERVE_KB = 2048;
/** Where the system allows no more than the 8 MiB that it gives: a deep recursion in C may end the interpreter there. */
const SMALL_STACK_KB = 3900;

let isStackLarge: boolean | undefined;

/** Whether a process of ours may have the large stack. */
function mayHaveLargeStack(): boolean {
  isStackLarge ??= process.platform === "linux" && hardStackLimit() >= STACK_KB * 1024;
  return isStackLarge;
}

/** What a worker of that language is given; null where it keeps what it finds. */
export function stackBytes(language: Language): number | null {
  return language === "python" && mayHaveLargeStack() ? STACK_KB * 1024 : null;
}

function stackFlag(): string {
  return `--stack-size=${mayHaveLargeStack() ? STACK_KB - STACK_RESERVE_KB : SMALL_STACK_KB}`;
}
/** Beside what a run may take: Node, the engine and what it has loaded. */
const BASE_MB: Record<Language, number> = { javascript: 256, python: 1024 };

/** The wall of a whole worker: the largest run that the table of limits allows, and what is around it. */
export function workerMemoryMb(language: Language): number {
  return LIMITS.memoryMb.max + BASE_MB[language];
}

/**
 * For glibc, before the worker begins: large pages for the large pieces that Python's files are, where the kernel has them.
 * Measured: Node and the files are there some 0.15 s sooner. Others hold nothing large.
 */
const PYTHON_ENVIRONMENT = { GLIBC_TUNABLES: "glibc.malloc.hugetlb=1" };

/** Environment of every worker; `env` is the operator's. What is Python's own, the worker forgets. */
export function workerEnvironment({ env, language }: Pick<LaunchPlan, "env" | "language">): Record<string, string> {
  return { TZ: "UTC", LC_ALL: "en_US.UTF-8", ...(language === "python" ? PYTHON_ENVIRONMENT : {}), ...env };
}

/** What follows the path of Node. @param parentPid of the worker's parent as the worker sees it */
export function workerArguments(
  { files, role, env, language, prepared = 1, jitless }: LaunchPlan,
  parentPid: number,
): string[] {
  const readable = files.folders.map((path) => (statSync(path).isDirectory() ? `${path}/` : path));
  return [
    ...(role === "taken-over" ? [] : ["--permission", "--allow-addons"]),
    // node-gyp-build looks at the last one to tell musl from glibc, and does not load without it.
    ...(role === "taken-over" ? [] : [...readable, "/etc/alpine-release"].map((path) => `--allow-fs-read=${path}`)),
    "--no-node-snapshot",
    ...(language === "python" ? [stackFlag()] : []),
    ...(jitless ? ["--jitless"] : []),
    "--disable-warning=PERM0001",
    "--disable-warning=ExperimentalWarning",
    files.entry,
    role,
    String(parentPid),
    Object.keys(env).join(","),
    language,
    String(prepared),
  ];
}

/**
 * A command that sets the kernel's limits for itself and becomes `command`: no core dump, no file written, few files open,
 * so much address space. By the shell's own ulimit, which is everywhere; macOS has no limit of addresses.
 */
export function limitResources(command: readonly string[], language: Language): string[] {
  const addresses = process.platform === "linux" ? ` -v ${ADDRESS_SPACE_MB[language] * 1024}` : "";
  const stack = stackBytes(language);
  const stackLimit = stack === null ? "" : `-s ${stack / 1024}`;
  const limits = ["-c 0", "-f 0", `-n ${OPEN_FILES}`, stackLimit, addresses.trim()].filter(Boolean);
  const script = `${limits.map((limit) => `ulimit ${limit} && `).join("")}exec "$@"`;
  return ["/bin/sh", "-c", script, "sallyport-worker", ...command];
}
