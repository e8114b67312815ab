/**
 * Where a sandbox's workers come from: the launcher that was chosen, and what it needs. Where the workers of a launcher that
 * `auto` took do not come up, the next one is taken; once one has come up, nothing changes any more.
 */

import { SandboxError } from "../errors.ts";
import type { ResolvedSandboxOptions } from "../options.ts";
import type { Language } from "../types.ts";
import { chooseLauncher, type Refused } from "./containment.ts";
import type { WorkerRole } from "./launchers/launcher.ts";
import { checkPythonSnapshot } from "./python-snapshot.ts";
import type { Supervisor } from "./supervisor.ts";
import { findWorkerFiles, type WorkerFiles } from "./worker-files.ts";
import { findWorkerNeeds } from "./worker-needs.ts";
import { REST_LIMITS_MS, WorkerProcess } from "./worker-process.ts";

export interface WorkerSource {
  /** The launcher that workers come from. */
  readonly containment: string;
  /** Launchers that cannot run here, with what would help. */
  readonly refused: readonly Refused[];
  readonly diesBy: string | null;
  /** Why workers have root's user id outside; null where they have not, or nobody expects otherwise. */
  readonly staysRoot: string | null;
  /** Path of the file that every worker starts with. */
  readonly entry: string;
  /** Version of Node that the first worker told; empty before there was one. */
  readonly nodeVersion: string;
  /** The first worker that came up; null before. */
  readonly first: WorkerProcess | null;
  start(role: WorkerRole, language: Language): Promise<WorkerProcess>;
  /** Gives back what launchers have prepared, after the last worker has ended. */
  close(): Promise<void>;
}

/** Node reads TypeScript by WebAssembly, which a worker that only interprets has not. */
function checkHardened(entry: string): void {
  if (!entry.endsWith(".ts")) return;
  throw new SandboxError(
    "ENGINE_UNAVAILABLE",
    "hardened: expected built files, and these are TypeScript, which Node cannot read without WebAssembly. Run npm run build and import dist, or install the package.",
  );
}

/** @throws SandboxError CONTAINMENT_UNAVAILABLE, ENGINE_UNAVAILABLE */
export async function openWorkerSource(options: ResolvedSandboxOptions, supervisor: Supervisor): Promise<WorkerSource> {
  const needs = findWorkerNeeds(options.workerNode);
  const { candidates, refused } = await chooseLauncher(options, needs);
  if (options.hardened) checkHardened(needs.files.entry);
  const opened = candidates.map(({ launcher }) => launcher);
  let [chosen] = candidates;
  let first: WorkerProcess | null = null;

  const files = new Map<Language, WorkerFiles>();
  function filesOf(language: Language): WorkerFiles {
    const found = files.get(language) ?? findWorkerFiles(language);
    files.set(language, found);
    return found;
  }

  async function startFrom(role: WorkerRole, language: Language): Promise<WorkerProcess> {
    const current = chosen;
    if (!current) throw new Error("there is no launcher");
    if (language === "python") checkPythonSnapshot(needs.files.entry);
    try {
      const { prepared } = options.python;
      const files = filesOf(language);
      const jitless = options.hardened;
      const plan = { ...needs, files, role, language, prepared, env: options.workerEnv, jitless };
      const command = current.launcher.command(plan);
      const worker = await WorkerProcess.start(command, supervisor, options.startTimeoutMs, REST_LIMITS_MS[language]);
      first ??= worker;
      return worker;
    } catch (error) {
      const next = candidates[candidates.indexOf(current) + 1];
      if (first !== null || next === undefined) throw error;
      if (chosen === current) {
        const reason = `its workers do not start (${error instanceof Error ? error.message : String(error)})`;
        refused.push({ name: current.name, reason, remedy: `Try --containment ${current.name} alone to see why.` });
        chosen = next;
      }
      return startFrom(role, language);
    }
  }

  return {
    get containment() {
      return chosen?.name ?? "";
    },
    get nodeVersion() {
      return first?.node ?? "";
    },
    get diesBy() {
      return chosen?.launcher.diesBy ?? null;
    },
    get staysRoot() {
      return chosen?.launcher.staysRoot ?? null;
    },
    get first() {
      return first;
    },
    entry: needs.files.entry,
    refused,
    start: startFrom,
    async close() {
      await Promise.all(opened.map((launcher) => launcher.close()));
    },
  };
}
