/**
 * Runs the real command as a child process, as a user would, and collects what it says.
 * Must not import the command's code: what is tested is the process.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where the command begins: what `npm start` starts. */
export const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly stdin?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Another copy of the command. */
  readonly main?: string;
}

function environment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, ...extra };
}

const WARNING = /^sallyport: No containment: .*\n/gm;

/** What was said on stderr but for the warning that a machine without any containment is given. */
export const withoutWarning = (stderr: string): string => stderr.replace(WARNING, "");

/** Starts the command with pipes on all three streams. */
export function startCommand(args: readonly string[], { env, cwd, main = MAIN }: Omit<CommandOptions, "stdin"> = {}) {
  return spawn(process.execPath, [main, ...args], { env: environment(env), cwd, stdio: ["pipe", "pipe", "pipe"] });
}

/** Resolves with everything that the child said, once it has ended. */
export function collect(child: ReturnType<typeof startCommand>): Promise<Ended> {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => {});
  return new Promise((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr: withoutWarning(stderr) })),
  );
}

/** Runs the command to its end. */
export function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const child = startCommand(args, options);
  const ended = collect(child);
  child.stdin.end(options.stdin ?? "");
  return ended;
}

/** The objects on the lines of `stdout`. */
export function parseLines(stdout: string): Record<string, unknown>[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A figure of /proc/PID/status in KiB, for example VmHWM. */
export function readMemoryKib(child: ChildProcess, name: string): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
}

/** Bytes that the process has read so far, from whatever file or pipe. */
export function readBytesRead(child: ChildProcess): number {
  return Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${child.pid}/io`, "utf8"))?.[1]);
}

/** Ids of the processes that have `pid` as their parent. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** True while `pid` runs; a zombie does not count. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Processor time that each child of `pid` has used in user mode so far, in clock ticks of 10 ms. */
export function cpuTicksOfChildren(pid: number): number[] {
  return childrenOf(pid).map((child) => {
    try {
      const stat = readFileSync(`/proc/${child}/stat`, "latin1");
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[11]);
    } catch {
      return 0;
    }
  });
}

/** Runs a program from standard input and reads the line of JSON that it prints; there must be no other. */
export async function runJson(source: string, ...args: string[]) {
  const ended = await runCommand(["run", "--json", ...args, "-"], { stdin: source });
  const [observation, ...others] = parseLines(ended.stdout);
  if (others.length > 0) throw new Error(`more than one line: ${ended.stdout}`);
  return { ...ended, observation };
}
