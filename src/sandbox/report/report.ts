/**
 * The report of one sandbox: what is known when its first worker is up, and what a probe finds when somebody asks.
 * Puts together what others see; judges nothing itself.
 */

import { SandboxError } from "../../errors.ts";
import type { Language, Layer, SandboxReport } from "../../types.ts";
import type { WorkerProcess } from "../worker-process.ts";
import type { WorkerSource } from "../worker-source.ts";
import { describeEngines } from "./engines.ts";
import { describeLayers, summarize } from "./layers.ts";
import { lookAtWorker, type OutsideView } from "./outside.ts";
import { probeInside, probeTakenOver } from "./probe.ts";
import type { InsideView, Sight } from "./sight.ts";

/** Ends in the names of the host's objects that a program finds. */
const LOOK_AROUND = `return ["process", "require", "module", "fetch", "WebAssembly", "Deno", "Bun", "XMLHttpRequest"]
  .filter((name) => typeof globalThis[name] !== "undefined")`;

export interface Reported {
  workers: WorkerSource;
  languages: readonly Language[];
  /** Names that the operator gave to the workers' environment. */
  environment: readonly string[];
  /** Runs a program in a worker as any other, and gives its result; null where it had none. */
  runGuest(source: string): Promise<unknown>;
}

function sightOf({ workers, environment }: Reported, outside: OutsideView | null, isVisible: boolean): Sight {
  return {
    containment: workers.containment,
    platform: process.platform,
    nodeVersion: workers.nodeVersion,
    diesBy: workers.diesBy,
    staysRoot: workers.staysRoot,
    isVisible,
    outside,
    inside: null,
    environment,
  };
}

const look = (worker: WorkerProcess): OutsideView | null =>
  process.platform === "linux" && worker.isVisible ? lookAtWorker(worker.pid) : null;

/** What can be said without starting anything: for receipts. */
export function layersOf(reported: Reported, worker: WorkerProcess): Layer[] {
  return describeLayers(sightOf(reported, look(worker), worker.isVisible));
}

/** Probes from inside and outside. Starts two workers that run no program, and ends them. */
export async function makeReport(reported: Reported, attacks = false): Promise<SandboxReport> {
  const { workers, environment } = reported;
  let outside: OutsideView | null = null;
  let isVisible = false;
  const [probed, guestSees] = await Promise.all([
    probeInside(
      () => workers.start("prober", "javascript"),
      environment,
      (prober) => {
        outside = look(prober);
        ({ isVisible } = prober);
        return { hostPidIsShared: outside?.namespaces.pid !== true };
      },
    ),
    reported.runGuest(LOOK_AROUND),
  ]);
  const inside: InsideView = { ...probed, guestSees: Array.isArray(guestSees) ? guestSees.map(String) : null };
  const layers = describeLayers({ ...sightOf(reported, outside, isVisible), inside });
  return {
    containment: workers.containment,
    summary: summarize(layers, workers.containment),
    workerNode: workers.nodeVersion,
    platform: `${process.platform} ${process.arch}`,
    languages: [...reported.languages],
    engines: describeEngines({
      languages: reported.languages,
      nodeVersion: workers.nodeVersion,
      entry: workers.entry,
    }),
    layers,
    unavailable: workers.refused.map((refused) => ({ ...refused })),
    ...(attacks ? { exploited: await probeTakenOver(() => workers.start("taken-over", "javascript")) } : {}),
  };
}

/** @throws SandboxError CONTAINMENT_UNAVAILABLE that names each layer that is missing, with what to do */
export function checkRequired({ layers, containment }: SandboxReport, required: readonly string[]): void {
  const missing = findMissing(layers, required);
  if (missing.length === 0) return;
  throw new SandboxError(
    "CONTAINMENT_UNAVAILABLE",
    `Required and not there under ${containment}: ${missing.join(" ")}`,
  );
}

/** A sentence for each layer that is asked for and not active. */
export function findMissing(layers: readonly Layer[], required: readonly string[]): string[] {
  return required.flatMap((name) => {
    const layer = layers.find((candidate) => candidate.name === name);
    if (layer?.active) return [];
    if (layer === undefined)
      return [`${name}: there is no such layer, only ${layers.map((known) => known.name).join(", ")}.`];
    return [`${name}: ${layer.detail}.${layer.remedy === undefined ? "" : ` ${layer.remedy}`}`];
  });
}
