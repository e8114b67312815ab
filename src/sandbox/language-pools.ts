/**
 * The pools of a sandbox: workers that run and inspectors that read, apart for each language. A language's workers start
 * when they are first asked for: a host that never runs Python pays nothing for it.
 */

import { LANGUAGES } from "../languages.ts";
import type { ResolvedSandboxOptions } from "../options.ts";
import type { Language } from "../types.ts";
import { Pool } from "./pool.ts";
import type { WorkerSource } from "./worker-source.ts";

export interface LanguagePools {
  readonly runners: Readonly<Record<Language, Pool>>;
  readonly inspectors: Readonly<Record<Language, Pool>>;
  close(): Promise<void>;
}

/** Workers of all pools together, at most: what the supervisor must be able to watch. */
export function countWorkers({ workers, standby, python }: ResolvedSandboxOptions): number {
  return workers + standby + python.workers + LANGUAGES.length;
}

export function createPools(options: ResolvedSandboxOptions, source: WorkerSource): LanguagePools {
  const { limits, workers, standby, runsPerWorker, python } = options;
  const queue = { maxQueue: limits.maxQueue, queueTimeoutMs: limits.queueTimeoutMs };
  const runners = {
    javascript: new Pool({
      ...queue,
      size: workers,
      standby,
      runsPerWorker,
      startWorker: () => source.start("runner", "javascript"),
    }),
    python: new Pool({
      ...queue,
      size: python.workers,
      standby: 0,
      runsPerWorker,
      restsLong: true,
      name: "Python worker",
      startWorker: () => source.start("runner", "python"),
    }),
  };
  const inspector = (language: Language): Pool =>
    new Pool({
      ...queue,
      size: 1,
      standby: 0,
      runsPerWorker: 100_000,
      name: `inspector of ${language} programs`,
      startWorker: () => source.start("inspector", language),
    });
  const pools = {
    runners,
    inspectors: { javascript: inspector("javascript"), python: inspector("python") },
  };
  return {
    ...pools,
    async close() {
      const all = Object.values(pools).flatMap((of) => Object.values(of));
      await Promise.all(all.map((pool) => pool.close()));
    },
  };
}
