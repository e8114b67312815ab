/**
 * The sandbox: options in, pools of workers behind, one observation out of every run.
 * The engine never loads here; this process only starts workers, asks them, and ends them.
 */

import { randomUUID } from "node:crypto";
import { SandboxError } from "../errors.ts";
import { resolveSandboxOptions, type SandboxOptions } from "../options.ts";
import type { ManifestMessage } from "../protocol/messages.ts";
import type { InspectRequest, Language, Manifest, Sandbox } from "../types.ts";
import type { LaunchPlan, WorkerRole } from "./launchers/launcher.ts";
import { LAUNCHERS } from "./launchers/registry.ts";
import { failure } from "./observation.ts";
import { Pool } from "./pool.ts";
import { prepareRun } from "./request.ts";
import { runInPool } from "./runner.ts";
import { findSetpriv } from "./spawn.ts";
import { createSupervisor } from "./supervisor.ts";
import { findWorkerFiles } from "./worker-files.ts";
import { findWorkerNode } from "./worker-node.ts";
import { WorkerProcess } from "./worker-process.ts";

const LANGUAGES: readonly Language[] = ["javascript"];
/** Reading a program takes milliseconds; a parser that takes longer has met something made to hurt it. */
const INSPECT_TIMEOUT_MS = 2000;
const INSPECT_MEMORY_MB = 256;

/**
 * Makes a sandbox and starts its workers.
 * @param options see SandboxOptions for units and defaults
 * @throws SandboxError INVALID_OPTIONS before anything is started; ENGINE_UNAVAILABLE where no worker comes up
 */
export async function createSandbox(options?: SandboxOptions): Promise<Sandbox> {
  const resolved = resolveSandboxOptions(options);
  const launcher = LAUNCHERS.find(({ name }) => name === resolved.containment);
  if (!launcher) throw new SandboxError("CONTAINMENT_UNAVAILABLE", `There is no launcher ${resolved.containment}.`);
  const plan: Omit<LaunchPlan, "role"> = {
    node: findWorkerNode(resolved.workerNode),
    files: findWorkerFiles(),
    env: resolved.workerEnv,
    setpriv: findSetpriv(),
  };
  const { limits } = resolved;
  const supervisor = createSupervisor(2 * (resolved.workers + resolved.standby) + 8);
  let workerNode = "";
  const startWorker = async (role: WorkerRole): Promise<WorkerProcess> => {
    const worker = await WorkerProcess.start(launcher.command({ ...plan, role }), supervisor, resolved.startTimeoutMs);
    workerNode = worker.node;
    return worker;
  };
  const poolOptions = { maxQueue: limits.maxQueue, queueTimeoutMs: limits.queueTimeoutMs };
  const runners = new Pool({
    ...poolOptions,
    size: resolved.workers,
    standby: resolved.standby,
    runsPerWorker: resolved.runsPerWorker,
    startWorker: () => startWorker("runner"),
  });
  const inspectors = new Pool({
    ...poolOptions,
    size: 1,
    standby: 0,
    runsPerWorker: 100_000,
    startWorker: () => startWorker("inspector"),
  });
  let inspectorsStarted: Promise<void> | null = null;
  let closing: Promise<void> | null = null;

  const inspect = async ({ language, source, signal }: InspectRequest): Promise<Manifest> => {
    if (!LANGUAGES.includes(language))
      throw new SandboxError("ENGINE_UNAVAILABLE", `There is no inspector for ${language} in this version.`);
    if (closing) throw new SandboxError("POOL_CLOSED", "The sandbox is closed: make a new one with createSandbox.");
    inspectorsStarted ??= inspectors.start();
    await inspectorsStarted;
    const idle = inspectors.checkoutNow();
    const checkout = idle ? { worker: idle } : await inspectors.checkout(signal);
    if ("none" in checkout) return unreadable(language, source, "No inspector was free.");
    const { worker } = checkout;
    const end = await worker.exchange({
      message: { type: "inspect", id: randomUUID(), language, source },
      timeoutMs: INSPECT_TIMEOUT_MS,
      graceMs: limits.killGraceMs,
      memoryMb: INSPECT_MEMORY_MB,
    });
    if ("answer" in end) {
      inspectors.release(worker);
      return (end.answer as ManifestMessage).manifest;
    }
    inspectors.discard(worker);
    return unreadable(language, source, "The inspector could not read the program in time.");
  };

  const close = (): Promise<void> => {
    closing ??= (async () => {
      await Promise.all([runners.close(), inspectors.close()]);
      await supervisor.close();
    })();
    return closing;
  };

  const sandbox: Sandbox = {
    limits,
    languages: LANGUAGES,
    layers: launcher
      .layers({ ...plan, role: "runner" })
      .filter(({ active }) => active)
      .map(({ name }) => name),
    async run(request) {
      return (await sandbox.execute(request)).observation;
    },
    async execute(request) {
      const prepared = prepareRun(request, limits);
      if (closing) throw new SandboxError("POOL_CLOSED", "The sandbox is closed: make a new one with createSandbox.");
      if ("refused" in prepared) return { observation: prepared.refused, engineSha256: null };
      if (!LANGUAGES.includes(request.language)) {
        const message = `There is no engine for ${request.language} in this version: use ${LANGUAGES.join(" or ")}.`;
        return { observation: failure({ status: "unavailable", message }), engineSha256: null };
      }
      return runInPool(runners, prepared, request, limits.killGraceMs);
    },
    inspect,
    async report() {
      return {
        containment: launcher.name,
        workerNode,
        languages: [...LANGUAGES],
        layers: launcher.layers({ ...plan, role: "runner" }),
      };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  try {
    await supervisor.whenReady;
    await runners.start();
  } catch (error) {
    await close();
    throw error;
  }
  return sandbox;
}

/** What is said of a program that could not be read: nothing is known, so that every deny rule matches. */
function unreadable(language: Language, source: string, why: string): Manifest {
  return {
    language,
    dialect: language,
    sourceChars: source.length,
    lines: source.split("\n").length,
    nesting: 0,
    imports: [],
    globals: [],
    members: [],
    privateAccess: [],
    dynamicCode: [why],
    loops: 0,
    sha256: "",
    complete: false,
    undetermined: ["imports", "globals", "members", "dynamicCode"],
  };
}
