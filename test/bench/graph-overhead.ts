/**
 * What a turn of the executor graph costs above the run itself: for each checkpointer that this machine has, and for
 * conversations of 1, 100 and 1,000 messages. A thread of its own for every turn, and a rest before it.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { findSqliteFault, openCheckpointer } from "../fixtures/checkpointers.ts";
import { startPostgres } from "../fixtures/postgres.ts";
import { absentRow, atMost, type Row, row, showMs } from "./row.ts";
import { median, PACE_MS, pause, timeMs } from "./statistics.ts";
import { PROGRAM, runProgram, type Subject, scale, takeRounds } from "./subject.ts";

const WANTED_MS = 4;
/** Each graph is made of functions of its own, and V8 takes some hundred turns to compile them. */
const WARM_UP = 400;
const LENGTHS = [1, 100, 1000] as const;

/** A conversation of `length` messages, the last of which has one call. */
function converse(length: number): BaseMessage[] {
  const before = Array.from({ length: length - 1 }, (_, index) =>
    index % 2 === 0 ? new HumanMessage(`Question ${index}.`) : new AIMessage(`Answer ${index}.`),
  );
  const call = {
    type: "tool_call" as const,
    id: "call_1",
    name: "run_javascript_sandboxed",
    args: { source: PROGRAM },
  };
  return [...before, new AIMessage({ content: "", tool_calls: [call] })];
}

async function measureOne(subject: Subject, name: string, checkpointer: BaseCheckpointSaver | null, length: number) {
  const graph = createCodeExecutionGraph({
    sandbox: subject.sandbox,
    ...(checkpointer === null ? {} : { checkpointer }),
  });
  let turn = 0;
  const takeTurn = async (messages: BaseMessage[]): Promise<void> => {
    await graph.invoke({ messages }, { configurable: { thread_id: `${name} ${length} ${turn++}` } });
  };
  for (const _ of takeRounds(scale(subject, WARM_UP, 40), 4000)) await takeTurn(converse(length));
  const samples: number[] = [];
  const runOnly: number[] = [];
  for (const _ of takeRounds(scale(subject, 120, 30), 5000)) {
    const messages = converse(length);
    await pause(PACE_MS);
    samples.push(await timeMs(() => takeTurn(messages)));
    await pause(PACE_MS);
    runOnly.push(await timeMs(() => runProgram(subject.sandbox)));
  }
  const overheadMs = median(samples) - median(runOnly);
  const what = `graph overhead a turn, ${name}, ${length} ${length === 1 ? "message" : "messages"}`;
  const isBound = checkpointer === null && length === 1;
  const wanted = isBound ? atMost(overheadMs, WANTED_MS, `p50 at most ${WANTED_MS} ms`) : undefined;
  return row(what, `p50 ${showMs(overheadMs)}`, { overheadMs }, wanted);
}

async function measureLengths(
  subject: Subject,
  name: string,
  checkpointer: BaseCheckpointSaver | null,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const length of LENGTHS) rows.push(await measureOne(subject, name, checkpointer, length));
  return rows;
}

async function measureSqlite(subject: Subject): Promise<Row[]> {
  if ((await findSqliteFault()) !== null) return [absentRow("graph overhead a turn, SQLite")];
  const folder = mkdtempSync(join(tmpdir(), "sallyport-bench-"));
  try {
    return await measureLengths(subject, "SQLite", await openCheckpointer("sqlite", join(folder, "bench.sqlite")));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measurePostgres(subject: Subject): Promise<Row[]> {
  const postgres = await startPostgres();
  if ("missing" in postgres) return [absentRow("graph overhead a turn, PostgreSQL")];
  const checkpointer = await openCheckpointer("postgres", postgres.url);
  const { pool } = checkpointer as unknown as { pool: { on(event: "error", listener: () => void): void } };
  // Connections that are still closing when the server ends.
  pool.on("error", () => {});
  try {
    return await measureLengths(subject, "PostgreSQL", checkpointer);
  } finally {
    await (checkpointer as unknown as { end(): Promise<void> }).end();
    await postgres.stop();
  }
}

export async function measureGraphOverhead(subject: Subject): Promise<Row[]> {
  return [
    ...(await measureLengths(subject, "no checkpointer", null)),
    ...(await measureLengths(subject, "memory", new MemorySaver())),
    ...(await measureSqlite(subject)),
    ...(await measurePostgres(subject)),
  ];
}
