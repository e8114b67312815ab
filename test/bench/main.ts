/**
 * The benchmark: every figure that the project promises, in one run, as a table of wanted and seen. Writes no file and
 * exits 0 whatever it saw: a figure is read by a person, who knows what else the machine was doing.
 * Workers are plain processes here, whose CPU time and memory can be read; containment.ts measures what contains them.
 * `--quick` takes fewer samples; `--json` prints one object in place of the table; `--only paced,python` takes these parts.
 */

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { findWorkerNode } from "../../src/sandbox/worker-node.ts";
import { measureCpuWork } from "./cpu-work.ts";
import { describeMachine, type Machine } from "./machine.ts";
import { measureModes } from "./modes.ts";
import { measurePaced } from "./paced.ts";
import { waitForWorkers } from "./processes.ts";
import { measureRate } from "./rate.ts";
import { type Row, row } from "./row.ts";
import { measureStart } from "./start.ts";
import { runProgram, type Subject } from "./subject.ts";

/** V8 takes some hundred runs to compile what host and workers do in each. */
const WARM_UP = 600;

interface Report extends Machine {
  quick: boolean;
  seconds: number;
  rows: Row[];
}

/** In the order of the table. */
const SECTIONS: Readonly<Record<string, (subject: Subject) => Promise<Row[]>>> = {
  paced: measurePaced,
  rate: measureRate,
  modes: measureModes,
  kill: async (subject) => (await import("./kill.ts")).measureKill(subject),
  python: async (subject) => (await import("./python.ts")).measurePython(subject),
  // Loaded late: LangChain is large, and the rows above it are about the sandbox alone.
  "graph turn": async (subject) => (await import("./graph-turn.ts")).measureGraphTurn(subject),
  "graph overhead": async (subject) => (await import("./graph-overhead.ts")).measureGraphOverhead(subject),
  decision: async (subject) => (await import("./decision.ts")).measureDecision(subject),
  "CPU work": measureCpuWork,
  start: measureStart,
};

async function attempt(name: string, measure: () => Promise<Row[]>): Promise<Row[]> {
  if (process.stderr.isTTY) process.stderr.write(`measuring: ${name}\n`);
  try {
    return await measure();
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return [{ ...row(name, `could not be measured: ${words}`, {}), wanted: "a figure", ok: false }];
  }
}

async function measureAll(isQuick: boolean, only: readonly string[]): Promise<Report> {
  const started = performance.now();
  const workers = availableParallelism();
  await using sandbox = await createSandbox({ containment: "process" });
  const machine = describeMachine((await sandbox.report()).workerNode);
  await waitForWorkers(new Set(), workers + 1);
  for (let index = 0; index < WARM_UP; index++) await runProgram(sandbox);
  const subject: Subject = { sandbox, workers, workerNode: findWorkerNode(null).path, isQuick };
  const rows: Row[] = [];
  for (const name of only) {
    const measure = SECTIONS[name];
    if (measure) rows.push(...(await attempt(name, () => measure(subject))));
  }
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  return { ...machine, quick: isQuick, seconds, rows };
}

function printTable({ rows, ...report }: Report): void {
  const answer = (ok: boolean | null) => (ok === null ? "" : ok ? "yes" : "no");
  const noLines = { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" };
  const table = new Table({ head: ["what", "wanted", "seen", "met"], style: { head: [], border: [] }, chars: noLines });
  table.push(...rows.map(({ what, wanted, seen, ok }) => [what, wanted ?? "", seen, answer(ok)]));
  const { commit, hostNode, workerNode, isolatedVm, langgraph, cpu, cores, load, seconds } = report;
  console.log(table.toString());
  console.log(`commit ${commit}; Node ${hostNode}, in the workers ${workerNode}`);
  console.log(`isolated-vm ${isolatedVm}, langgraph ${langgraph}; ${cpu}, ${cores} cores, load ${load} before`);
  const missed = rows.filter(({ ok }) => ok === false).length;
  console.log(`${missed === 0 ? "all wanted figures seen" : `${missed} figures missed`}; took ${seconds} s`);
}

function readFlags(): { quick: boolean; json: boolean; only: string[] } {
  const flag = { type: "boolean", default: false } as const;
  const { quick, json, only } = parseArgs({ options: { quick: flag, json: flag, only: { type: "string" } } }).values;
  const names = only?.split(",") ?? Object.keys(SECTIONS);
  const unknown = names.find((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown !== undefined)
    throw new Error(`--only: no part "${unknown}"; there are ${Object.keys(SECTIONS).join(", ")}`);
  return { quick, json, only: names };
}

try {
  const { quick, json, only } = readFlags();
  const report = await measureAll(quick, only);
  if (json) console.log(JSON.stringify(report));
  else printTable(report);
} catch (error) {
  // Nothing was measured: a wrong flag, or no worker that starts.
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
