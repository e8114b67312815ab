/**
 * Docker and Podman: where they are, with which environment they are called, and the walls of every container that they are
 * told to make. Inherits nothing: what a user's shell says of them does not count.
 */

import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { basename } from "node:path";
import { runTool, type ToolEnd } from "../spawn.ts";

const FOLDERS = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin", "/snap/bin"];
const PROGRAM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin";
const NOBODY = "65534:65534";

export interface Engine {
  name: "docker" | "podman";
  path: string;
}

export function findEngines(): Engine[] {
  return (["docker", "podman"] as const).flatMap((name) => {
    const path = FOLDERS.map((folder) => `${folder}/${name}`).find((place) => existsSync(place));
    return path === undefined ? [] : [{ name, path }];
  });
}

/** What an engine's command needs to find its own parts. */
export function engineEnvironment(): Record<string, string> {
  const { uid, homedir } = userInfo();
  const runtime = `/run/user/${uid}`;
  return { PATH: PROGRAM_PATH, HOME: homedir, ...(existsSync(runtime) ? { XDG_RUNTIME_DIR: runtime } : {}) };
}

export function callEngine(
  { path }: Pick<Engine, "path">,
  args: readonly string[],
  timeoutMs?: number,
): Promise<ToolEnd> {
  return runTool(path, args, engineEnvironment(), timeoutMs);
}

export interface Walls {
  /** Low-level runtime; null: the engine's own choice. */
  runtime: string | null;
  /** File with the profile of system calls; null: the engine's own. */
  seccomp: string | null;
  memoryMb: number;
  openFiles: number;
  /** Null: the engine's own. */
  stackBytes: number | null;
}

/** The arguments of `run` that make the walls. No log driver: what a worker says is the host's alone. */
export function wallArguments(
  { path }: Pick<Engine, "path">,
  { runtime, seccomp, memoryMb, openFiles, stackBytes }: Walls,
): string[] {
  const isPodman = basename(path) === "podman";
  return [
    ...(runtime === null ? [] : ["--runtime", runtime]),
    ...(seccomp === null ? [] : ["--security-opt", `seccomp=${seccomp}`]),
    ...(isPodman ? ["--read-only-tmpfs=false", "--unsetenv-all"] : []),
    "--pull=never",
    ...[
      "--network",
      "none",
      "--ipc",
      "none",
      "--read-only",
      "--cap-drop",
      "ALL",
      "--security-opt",
      "no-new-privileges",
    ],
    ...["--user", NOBODY, "--workdir", "/", "--hostname", "sallyport", "--log-driver", "none"],
    ...["--memory", `${memoryMb}m`, "--memory-swap", `${memoryMb}m`, "--pids-limit", "64", "--cpus", "1"],
    ...["--ulimit", `nofile=${openFiles}:${openFiles}`, "--ulimit", "nproc=4096:4096"],
    ...["--ulimit", "core=0:0", "--ulimit", "fsize=0:0"],
    ...(stackBytes === null ? [] : ["--ulimit", `stack=${stackBytes}:${stackBytes}`]),
  ];
}
