/**
 * Rows about hostile programs: every class of them, and TypeScript that is hard on its transpiler. Each is followed by a
 * harmless program that must be right.
 */

import { type Contained, containAll, HARMLESS_TIMEOUT_MS } from "./contained.ts";
import { type CorpusProgram, readCorpus, typescriptCorpus } from "./corpus.ts";
import { type Containment, type Effort, judge, type Row, scaled } from "./effort.ts";

const MIN_PROGRAMS = 150;
const SHOWN_FAULTS = 5;

function rowOf(what: string, wanted: string, containment: Containment, seen: Contained): Row {
  const { programs, contained, faults, late, overLimitMs, statuses } = seen;
  const ends = Object.entries(statuses).map(([status, count]) => `${status} ${count}`);
  for (const fault of faults.slice(0, SHOWN_FAULTS)) process.stderr.write(`${what}, ${containment}: ${fault}\n`);
  return judge(
    `${what}, ${containment}`,
    wanted,
    `${contained} of ${programs} (${ends.join(", ")}); at most ${Math.max(0, overLimitMs).toFixed(0)} ms over the limit`,
    { "all contained": faults.length === 0 && contained === programs },
    { [`every harmless one within ${HARMLESS_TIMEOUT_MS} ms (${late} were late)`]: late === 0 },
  );
}

/** The whole corpus whatever the scale: a program that is left out is not contained. */
export async function measureHostile({ launchers, corpus }: Effort): Promise<Row[]> {
  const programs = readCorpus(corpus);
  const wanted = "all contained: one true observation, limit + 500 ms, nothing of the host, harmless run right";
  const rows: Row[] = [];
  for (const containment of launchers) {
    const seen = await containAll(programs, containment, (index) => ({
      source: `const result = ${index} * 2`,
      result: index * 2,
    }));
    rows.push(rowOf("hostile programs", wanted, containment, seen));
  }
  if (corpus === null && programs.length < MIN_PROGRAMS) throw new Error(`only ${programs.length} hostile programs`);
  return rows;
}

/** Programs of the corpus in turn, each made another by a type of its own. */
function typescriptPrograms(count: number): CorpusProgram[] {
  const corpus = typescriptCorpus();
  return Array.from({ length: count }, (_, index) => {
    const program = corpus[index % corpus.length] as CorpusProgram;
    return { ...program, name: `${program.name} ${index}`, source: `type T${index} = ${index};\n${program.source}` };
  });
}

export async function measureTranspiler(effort: Effort): Promise<Row[]> {
  const rows: Row[] = [];
  const programs = typescriptPrograms(scaled(effort, 200)).map((program) => ({ ...program, timeoutMs: 300 }));
  const harmless = (index: number) => ({ source: `const n: number = ${index}; n + 1 as number`, result: index + 1 });
  const [containment = "process"] = effort.launchers.filter((name) => name === "process");
  const seen = await containAll(programs, containment, harmless);
  rows.push(rowOf("hostile TypeScript", "each followed by a harmless one: all harmless right", containment, seen));
  return rows;
}
