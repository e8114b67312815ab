/**
 * `npm run reliability`: every promise of the sandbox under attack, load and faults, as a table of wanted and seen.
 * Exits 1 where anything was lost, wrong, leaked or left behind; a figure that a busy machine misses is only said.
 * `--scale 0.1` takes a tenth of each count; `--only a,b`; `--seed N`; `--corpus FILE`; `--soak-minutes N`; `--markdown FILE`.
 */

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { findWorkerNode } from "../../src/sandbox/worker-node.ts";
import { describeMachine } from "../bench/machine.ts";
import { createChance } from "../fixtures/chance.ts";
import { measureBlocked } from "./blocked.ts";
import { measureCancel } from "./cancel.ts";
import { type Effort, type Row, tryLaunchers } from "./effort.ts";
import { measureFaults } from "./faults.ts";
import { measureFuzz } from "./fuzz.ts";
import { measureHostile, measureTranspiler } from "./hostile.ts";
import { measureLoad, measureNeighbours } from "./load.ts";
import { measureMemory } from "./memory.ts";
import { measureRestart } from "./restart.ts";
import { measureSoak } from "./soak.ts";

/** In the order of the table. */
const SECTIONS: Readonly<Record<string, (effort: Effort) => Promise<Row[]>>> = {
  hostile: measureHostile,
  blocked: measureBlocked,
  memory: measureMemory,
  neighbours: measureNeighbours,
  load: measureLoad,
  faults: measureFaults,
  fuzz: measureFuzz,
  cancel: measureCancel,
  transpiler: measureTranspiler,
  restart: measureRestart,
  soak: measureSoak,
};
const FULL_SOAK_MINUTES = 30;

async function attempt(name: string, effort: Effort): Promise<Row[]> {
  const started = performance.now();
  process.stderr.write(`${name} …\n`);
  try {
    return (await SECTIONS[name]?.(effort)) ?? [];
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return [{ what: name, wanted: "a figure", seen: `could not be measured: ${words}`, isMet: false, isSafe: false }];
  } finally {
    process.stderr.write(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  }
}

function readFlags() {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    options: { scale: text, only: text, seed: text, corpus: text, "soak-minutes": text, markdown: text },
  });
  const number = (name: "scale" | "seed" | "soak-minutes", otherwise: number): number => {
    const given = values[name] === undefined ? otherwise : Number(values[name]);
    if (!Number.isFinite(given) || given < 0) throw new Error(`--${name}: expected a number, got ${values[name]}`);
    return given;
  };
  const only = values.only?.split(",") ?? Object.keys(SECTIONS);
  const unknown = only.find((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown !== undefined)
    throw new Error(`--only: no row ${unknown}; there are ${Object.keys(SECTIONS).join(", ")}`);
  const scale = number("scale", 1);
  return {
    only,
    scale,
    seed: number("seed", Math.floor(Math.random() * 2 ** 32)),
    // A tenth of the counts comes with one minute.
    soakMinutes: number("soak-minutes", scale >= 1 ? FULL_SOAK_MINUTES : Math.min(1, scale * 10)),
    corpus: values.corpus ?? null,
    markdown: values.markdown ?? null,
  };
}

const answer = ({ isMet, isSafe }: Row): string => (isMet ? "yes" : isSafe ? "no" : "NO");

function printTable(rows: readonly Row[]): void {
  const noLines = { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" };
  const colWidths = [26, 56, 66, 6];
  const table = new Table({
    head: ["row", "wanted", "seen", "met"],
    style: { head: [], border: [] },
    chars: noLines,
    colWidths,
    wordWrap: true,
  });
  table.push(...rows.map((row) => [row.what, row.wanted, row.seen, answer(row)]));
  console.log(table.toString());
}

function toMarkdown(rows: readonly Row[], words: readonly string[]): string {
  const cells = (...texts: string[]) => `| ${texts.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
  const lines = rows.map((row) => cells(row.what, row.wanted, row.seen, answer(row)));
  return [...words, "", cells("row", "wanted", "seen", "met"), "| --- | --- | --- | --- |", ...lines, ""].join("\n");
}

try {
  const { only, scale, seed, soakMinutes, corpus, markdown } = readFlags();
  const started = performance.now();
  const machine = describeMachine(findWorkerNode(null).path);
  const tried = await tryLaunchers();
  const launchers = [...tried].flatMap(([name, why]) => (why === "" ? [name] : []));
  const missing = [...tried].flatMap(([name, why]) => (why === "" ? [] : [`${name} cannot run here: ${why}`]));
  const effort: Effort = { scale, chance: createChance(seed), launchers, corpus, soakMinutes };
  const rows: Row[] = [];
  for (const name of Object.keys(SECTIONS)) if (only.includes(name)) rows.push(...(await attempt(name, effort)));
  const seconds = Math.round((performance.now() - started) / 1000);
  const { commit, hostNode, isolatedVm, langgraph, cpu, cores, load } = machine;
  const words = [
    `Commit ${commit}; Node ${hostNode}; isolated-vm ${isolatedVm}, langgraph ${langgraph}; ${cpu}, ${cores} cores, load ${load} before.`,
    `${new Date().toISOString().slice(0, 10)}; scale ${scale}; seed ${seed}; ${seconds} s; launchers ${launchers.join(", ") || "none"}.`,
    ...missing,
  ];
  printTable(rows);
  for (const line of words) console.log(line);
  if (markdown !== null) writeFileSync(markdown, toMarkdown(rows, words));
  const broken = rows.filter(({ isSafe }) => !isSafe).length;
  const late = rows.filter(({ isMet, isSafe }) => isSafe && !isMet).length;
  console.log(
    `${broken} rows broke a safety condition, ${late} missed a figure, ${rows.length - broken - late} met all`,
  );
  process.exitCode = broken === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
