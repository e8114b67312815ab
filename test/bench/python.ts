/**
 * Python's rows: a run in an interpreter that is ready, one that must be made first, the first of a cold process, how many
 * a second for long, and what it holds; beside other ways to run Python that people reach for.
 */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Sandbox } from "../../src/types.ts";
import { isCalm, listDescendants, readResidentMb } from "./processes.ts";
import { absentRow, atLeast, atMost, type Row, row, showMs } from "./row.ts";
import { median, pause, summarize, timeMs } from "./statistics.ts";
import { expectAnswer, type Subject, scale, takeRounds } from "./subject.ts";

const PROGRAM = "result = [x * 2 for x in [1, 2, 3]]";
const WANTED = { p50Ms: 2.5, p99Ms: 25, unpreparedMs: 300, coldMs: 1500, perSecond: 10 };
// A worker in a container is no child of this process: nobody would see when it rests, nor what it holds.
const SANDBOX = { containment: "process", workers: 1, standby: 0 } as const;
/** Default of the option, and how many Python workers there are by default. */
const PREPARED = 2;
const WORKERS = 2;

async function runPython(sandbox: Sandbox): Promise<void> {
  const observation = await sandbox.run({ language: "python", source: PROGRAM });
  expectAnswer(JSON.stringify(observation.result ?? observation.status));
}

/** Waits until no worker makes an interpreter any more. */
async function settle(): Promise<void> {
  for (let calm = 0, polls = 0; calm < 4 && polls < 500; polls++) {
    await pause(20);
    calm = listDescendants().every(isCalm) ? calm + 1 : 0;
  }
}

/** One caller that rests until every interpreter is there again, as a model does between two calls. */
async function measurePrepared(sandbox: Sandbox, subject: Subject): Promise<Row> {
  const samples: number[] = [];
  for (const _ of takeRounds(scale(subject, 120, 20), 60_000)) {
    await settle();
    samples.push(await timeMs(() => runPython(sandbox)));
  }
  const { p50Ms, p99Ms } = summarize(samples);
  const isMet = p50Ms <= WANTED.p50Ms && p99Ms <= WANTED.p99Ms;
  const words = `p50 at most ${WANTED.p50Ms} ms, p99 at most ${WANTED.p99Ms} ms`;
  const seen = `p50 ${showMs(p50Ms)}, p99 ${showMs(p99Ms)}`;
  return row("Python, prepared", seen, { p50Ms, p99Ms, runs: samples.length }, { words, isMet });
}

/** Call upon call: after the first few no interpreter is ready, and each call waits until one is. */
async function measureUnprepared(sandbox: Sandbox, subject: Subject): Promise<Row> {
  const samples: number[] = [];
  for (let call = 0; call < WORKERS * PREPARED; call++) await runPython(sandbox);
  for (const _ of takeRounds(scale(subject, 40, 8), 20_000)) samples.push(await timeMs(() => runPython(sandbox)));
  const ms = median(samples);
  const wanted = atMost(ms, WANTED.unpreparedMs, `median at most ${WANTED.unpreparedMs} ms`);
  return row("Python, nothing prepared", `p50 ${showMs(ms)}`, { p50Ms: ms, runs: samples.length }, wanted);
}

async function measureSustained(sandbox: Sandbox, subject: Subject): Promise<Row> {
  const count = scale(subject, 100, 20);
  let left = count;
  const started = performance.now();
  const caller = async (): Promise<void> => {
    while (left-- > 0) await runPython(sandbox);
  };
  await Promise.all(Array.from({ length: WORKERS }, caller));
  const perSecond = count / ((performance.now() - started) / 1000);
  const wanted = atLeast(perSecond, WANTED.perSecond, `${WANTED.perSecond} fresh interpreters a second on two cores`);
  return row("Python, sustained", `${perSecond.toFixed(1)} a second`, { perSecond, runs: count }, wanted);
}

async function measureCold(subject: Subject): Promise<Row> {
  const path = fileURLToPath(new URL("./python-cold.ts", import.meta.url));
  const samples: number[] = [];
  for (const _ of takeRounds(scale(subject, 5, 2), 20_000)) {
    const { stdout } = await promisify(execFile)(process.execPath, [path], { env: {} });
    samples.push(Number(stdout));
  }
  const ms = median(samples);
  const wanted = atMost(ms, WANTED.coldMs, `at most ${WANTED.coldMs} ms`);
  return row("Python, first answer of a cold host process", `p50 ${showMs(ms)}`, { p50Ms: ms }, wanted);
}

async function residentWith(prepared: number): Promise<number> {
  const before = new Set(listDescendants());
  await using sandbox = await createSandbox({ ...SANDBOX, python: { workers: 1, prepared } });
  await runPython(sandbox);
  await settle();
  const workers = listDescendants().filter((id) => !before.has(id));
  return Math.max(...workers.map(readResidentMb));
}

async function measureMemory(): Promise<Row> {
  const what = "Python, memory of a worker, and of each interpreter that is ready";
  if (process.platform !== "linux") return absentRow(what);
  const [one, three] = [await residentWith(1), await residentWith(3)];
  const each = (three - one) / 2;
  const seen = `${(one - each).toFixed(0)} MiB and ${each.toFixed(0)} MiB resident`;
  return row(what, seen, { workerMb: one - each, preparedMb: each });
}

async function measureBeside(subject: Subject): Promise<Row[]> {
  const path = fileURLToPath(new URL("./python-beside.py", import.meta.url));
  const calls = String(scale(subject, 30, 8));
  try {
    const { stdout } = await promisify(execFile)("python3", [path, calls], { timeout: 60_000 });
    const { process, multiprocessing } = JSON.parse(stdout) as Record<string, number>;
    return [
      ["beside: a python3 process per call", process ?? Number.NaN] as const,
      ["beside: the textbook's multiprocessing sandbox", multiprocessing ?? Number.NaN] as const,
    ].map(([what, ms]) => row(what, `p50 ${showMs(ms)}`, { p50Ms: ms }));
  } catch {
    return [absentRow("beside: python3")];
  }
}

export async function measurePython(subject: Subject): Promise<Row[]> {
  const rows: Row[] = [];
  {
    await using sandbox = await createSandbox(SANDBOX);
    await runPython(sandbox);
    await settle();
    rows.push(await measurePrepared(sandbox, subject));
    rows.push(await measureUnprepared(sandbox, subject));
    rows.push(await measureSustained(sandbox, subject));
  }
  rows.push(await measureCold(subject), await measureMemory(), ...(await measureBeside(subject)));
  return rows;
}
