/**
 * The real development server, started as a user starts it, without a key and with the network shut but for the loopback.
 * Holds processes: `stop()` ends the server and, after two seconds, whatever it left, by id.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { vi } from "vitest";
import { listSurvivors, listTree, type ProcessMark } from "./process-tree.ts";

const root = resolve(import.meta.dirname, "../..");

export interface StudioServer {
  readonly url: string;
  /** What the server printed so far. */
  readonly log: () => string;
  /** Hosts beyond the loopback that it tried to reach. */
  readonly strangers: () => string[];
  readonly tree: () => ProcessMark[];
  /** SIGTERM; gives the commands that are still there when all should be over. */
  stop(): Promise<string[]>;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

function makeEnvironment(log: string): NodeJS.ProcessEnv {
  const preload = pathToFileURL(join(import.meta.dirname, "loopback-only.mjs")).href;
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, NODE_OPTIONS: `--import ${preload}`, LOOPBACK_ONLY_LOG: log };
}

/** Two seconds on a machine that does nothing else; the bound is for one that does. */
const STOPPED_WITHIN_MS = 5000;

/** What the end of a host leaves to do: a container engine's own processes, and who calls it for containers that still start. */
const CLEARED_WITHIN_MS = 20_000;
const CLEARS_UP = /sallyport-undertaker|\b(podman|docker|conmon)\b/;

async function waitForEnd(marks: readonly ProcessMark[], timeout: number): Promise<number[]> {
  const isOver = () => {
    if (listSurvivors(marks).length > 0) throw new Error("still running");
  };
  await vi.waitFor(isOver, { timeout, interval: 20 }).catch(() => undefined);
  return listSurvivors(marks);
}

function readCommand({ pid }: ProcessMark): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** A project's langgraph.json in a folder of its own: the server keeps its state beside it, not in the repository. */
function copyConfig(folder: string, project: string, further: Record<string, string>): string {
  const config = JSON.parse(readFileSync(join(project, "langgraph.json"), "utf8")) as {
    graphs: Record<string, string>;
  };
  const graphs = Object.entries({ ...config.graphs, ...further }).map(([name, path]) => [
    name,
    relative(folder, join(project, path)),
  ]);
  const path = join(folder, "langgraph.json");
  writeFileSync(path, JSON.stringify({ ...config, graphs: Object.fromEntries(graphs) }));
  return path;
}

/**
 * `command` with the arguments before the flags: `npm run studio --`, or the script behind it.
 * `further`: graphs beside those of the project's langgraph.json.
 */
export async function startStudio(
  command: string,
  args: string[],
  flags: string[] = [],
  project = root,
  further: Record<string, string> = {},
): Promise<StudioServer> {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-studio-"));
  const strangersLog = join(folder, "strangers");
  writeFileSync(strangersLog, "");
  const port = await findFreePort();
  const all = [
    ...args,
    "--port",
    String(port),
    "--no-browser",
    "--config",
    copyConfig(folder, project, further),
    ...flags,
  ];
  const child: ChildProcess = spawn(command, all, {
    cwd: project,
    env: makeEnvironment(strangersLog),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (log += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (log += text));
  const pid = child.pid;
  if (pid === undefined) throw new Error(`could not start ${command}`);

  const url = `http://127.0.0.1:${port}`;
  let reached: string[] | undefined;
  const strangers = () => reached ?? readFileSync(strangersLog, "utf8").split("\n").filter(Boolean);
  let stopped: Promise<string[]> | undefined;
  const stop = (): Promise<string[]> => {
    stopped ??= (async () => {
      const marks = listTree(pid);
      const commands = new Map(marks.map((mark) => [mark.pid, readCommand(mark)]));
      const clearsUp = (mark: ProcessMark) => CLEARS_UP.test(commands.get(mark.pid) ?? "");
      child.kill("SIGTERM");
      const survivors = await waitForEnd(
        marks.filter((mark) => !clearsUp(mark)),
        STOPPED_WITHIN_MS,
      );
      survivors.push(...(await waitForEnd(marks.filter(clearsUp), CLEARED_WITHIN_MS)));
      for (const survivor of survivors) process.kill(survivor, "SIGKILL");
      reached = strangers();
      rmSync(folder, { recursive: true, force: true });
      return survivors.map((survivor) => `${survivor}: ${commands.get(survivor)}`);
    })();
    return stopped;
  };
  const ask = async (): Promise<void> => {
    if (child.exitCode !== null) return;
    const response = await fetch(`${url}/ok`);
    if (!response.ok) throw new Error(`status ${response.status}`);
  };
  try {
    await vi.waitFor(ask, { timeout: 45_000, interval: 100 });
    if (child.exitCode !== null) throw new Error("it ended");
  } catch (error) {
    await stop();
    throw new Error(`The development server did not start: ${String(error)}\n${log}`);
  }
  return { url, log: () => log, strangers, tree: () => listTree(pid), stop };
}
