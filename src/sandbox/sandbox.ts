/**
 * The sandbox: options in, pools of workers behind, one observation out of every run.
 * The engine never loads here; this process only starts workers, asks them, and ends them.
 */

import { closedFault, SandboxError } from "../errors.ts";
import { LANGUAGES } from "../languages.ts";
import { resolveSandboxOptions, type SandboxOptions } from "../options.ts";
import type { InspectRequest, Language, Layer, Manifest, Sandbox } from "../types.ts";
import { warnOfProcess } from "./containment.ts";
import { whileHeld } from "./held-loop.ts";
import { checkInspectRequest, refuseFurther } from "./inspect-request.ts";
import { inspectInPool } from "./inspector.ts";
import { countWorkers, createPools } from "./language-pools.ts";
import { failure } from "./observation.ts";
import { checkRequired, layersOf, makeReport, type Reported } from "./report/report.ts";
import { prepareRun } from "./request.ts";
import { runInPool } from "./runner.ts";
import { createSupervisor } from "./supervisor.ts";
import { openWorkerSource } from "./worker-source.ts";

/**
 * Makes a sandbox and starts its workers.
 * @param options see SandboxOptions for units and defaults
 * @throws SandboxError INVALID_OPTIONS before anything is started; ENGINE_UNAVAILABLE where no worker comes up
 */
export function createSandbox(options?: SandboxOptions): Promise<Sandbox> {
  return whileHeld(() => openSandbox(options));
}

async function openSandbox(options?: SandboxOptions): Promise<Sandbox> {
  const resolved = resolveSandboxOptions(options);
  const { limits } = resolved;
  const supervisor = createSupervisor(2 * countWorkers(resolved) + 8);
  const workers = await openWorkerSource(resolved, supervisor).catch(async (error: unknown) => {
    await supervisor.close();
    throw error;
  });
  const pools = createPools(resolved, workers);
  // Without V8's compilers there is no WebAssembly, and so no Python.
  const languages = LANGUAGES.filter((language) => language !== "python" || !resolved.hardened);
  const absent = (language: Language): string =>
    resolved.hardened && language === "python"
      ? "Python is WebAssembly, which a hardened sandbox has no compiler for: use javascript, or another sandbox without hardened."
      : `There is no ${language} in this sandbox: use ${languages.join(" or ")}.`;
  let closing: Promise<void> | null = null;

  const inspect = async (request: InspectRequest, ...further: unknown[]): Promise<Manifest> => {
    refuseFurther("inspect", further);
    const checked = checkInspectRequest(request);
    const { language } = checked;
    if (!languages.includes(language)) throw new SandboxError("ENGINE_UNAVAILABLE", absent(language));
    if (closing) throw closedFault();
    return whileHeld(() => inspectInPool(pools.inspectors[language], checked, limits.killGraceMs));
  };

  const close = (): Promise<void> => {
    closing ??= whileHeld(async () => {
      await pools.close();
      await workers.close();
      await supervisor.close();
    });
    return closing;
  };

  const layers: string[] = [];
  const reported: Reported = {
    workers,
    languages,
    environment: Object.keys(resolved.workerEnv),
    async runGuest(source) {
      return (await sandbox.run({ language: "javascript", source })).result ?? null;
    },
  };

  const sandbox: Sandbox = {
    limits,
    languages,
    layers,
    async run(request, ...further: unknown[]) {
      refuseFurther("run", further);
      return (await sandbox.execute(request)).observation;
    },
    async execute(request, ...further: unknown[]) {
      refuseFurther("execute", further);
      const prepared = prepareRun(request, limits);
      if (closing) throw closedFault();
      if ("refused" in prepared) return { observation: prepared.refused, engineSha256: null };
      if (!languages.includes(request.language)) {
        const observation = failure({ status: "unavailable", message: absent(request.language) });
        return { observation, engineSha256: null };
      }
      return whileHeld(() => runInPool(pools.runners[request.language], prepared, request, limits.killGraceMs));
    },
    inspect,
    async report(options) {
      if (closing) throw closedFault();
      return whileHeld(() => makeReport(reported, options?.attacks === true));
    },
    isClosed: () => closing !== null,
    close,
    [Symbol.asyncDispose]: close,
  };
  try {
    await supervisor.whenReady;
    await pools.runners.javascript.start();
    if (workers.first) layers.push(...activeNames(layersOf(reported, workers.first)));
    if (resolved.require.length > 0) checkRequired(await makeReport(reported), resolved.require);
    if (workers.containment === "process" && resolved.containment === "auto") warnOfProcess(workers.refused);
  } catch (error) {
    await close();
    throw error;
  }
  return sandbox;
}

const activeNames = (layers: readonly Layer[]): string[] =>
  layers.filter(({ active }) => active).map(({ name }) => name);
