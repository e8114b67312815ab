/**
 * A checkpoint that was edited by hand in its database, around an approval: nothing runs. The cases of
 * `forged-approval.test.ts` again, where a checkpointer stores channels, writes and threads in its own way.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { type CheckpointerKind, findSqliteFault, openCheckpointer } from "../fixtures/checkpointers.ts";
import { type Postgres, startPostgres } from "../fixtures/postgres.ts";
import { openStoredText, type StoredText } from "../fixtures/stored-text.ts";
import { ASKING, KEY, questionOf, resume } from "../graph/approval-rig.ts";
import { aiRaw, call, createListener, expectAnswered, human, statuses } from "../graph/rig.ts";

const folder = mkdtempSync(join(tmpdir(), "sallyport-edited-"));
const missing: Record<CheckpointerKind, string | null> = { sqlite: await findSqliteFault(), postgres: null };
let rig: Awaited<ReturnType<typeof createListener>>;
let postgres: Postgres | undefined;
beforeAll(async () => {
  rig = await createListener();
  const started = await startPostgres();
  if ("missing" in started) missing.postgres = started.missing;
  else postgres = started;
});
afterAll(async () => {
  await rig?.close();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const locate = (kind: CheckpointerKind) =>
  kind === "sqlite" ? join(folder, "checkpoints.sqlite") : String(postgres?.url);
const APPROVE = resume({ decisions: [{ type: "approve" }] });
const executions = (part: string) => rig.executed.filter((source) => source.includes(part));
const message = (source: string) => aiRaw({ id: "message-1", tool_calls: [call("a", source)] });

/** A graph on the database, and the database beside it. */
async function open(kind: CheckpointerKind) {
  const stored: StoredText = await openStoredText(kind, locate(kind));
  const checkpointer = await openCheckpointer(kind, locate(kind));
  const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, policy: ASKING, approvalKey: KEY, checkpointer });
  return { stored, graph, at: { configurable: { thread_id: crypto.randomUUID() } }, end: () => endSaver(checkpointer) };
}

async function endSaver(saver: unknown): Promise<void> {
  await (saver as { end?: () => Promise<void> }).end?.();
}

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  it.for([
    ["the program", "approved", "swapped"],
    ["the language of the record", '"language":"javascript"', '"language":"python"'],
    ["the tool, and with it the language", "run_javascript_sandboxed", "run_python_sandboxed"],
    ["the decision", '"effect":"ask"', '"effect":"allow"'],
    ["the expiry", '"expiresAt":', '"expiresAt":9'],
    ["the approver", "unverified", "somebody"],
  ] as const)("%s changed behind the approval: nothing runs", async ([what, from, to], { skip }) => {
    if (missing[kind] !== null) return skip(missing[kind]);
    const { stored, graph, at, end } = await open(kind);
    const source = `ask; 'approved on ${kind} ${what}'`;
    await graph.invoke({ messages: [human(), message(source)] }, at);
    await graph.invoke(APPROVE, { ...at, interruptBefore: ["execute"] });
    expect(await stored.edit(from, to)).toBeGreaterThan(0);
    const state = await graph.invoke(null, at);
    expect(statuses(state)).toEqual(["PolicyDenied"]);
    expect(executions(`on ${kind} ${what}`)).toEqual([]);
    expectAnswered(state);
    await stored.close();
    await end();
  });

  it.for([
    ["an allow that is written in", '"effect":"ask"', '"effect":"allow"'],
    ["a language that is swapped", '"language":"javascript"', '"language":"python"'],
    ["a tool that is swapped", "run_javascript_sandboxed", "run_python_sandboxed"],
    ["a program that is swapped", "waits", "swaps"],
  ] as const)("%s while the question waits is not run by an answer to it", async ([what, from, to], { skip }) => {
    if (missing[kind] !== null) return skip(missing[kind]);
    const { stored, graph, at, end } = await open(kind);
    await graph.invoke({ messages: [human(), message(`ask; 'waits on ${kind} ${what}'`)] }, at);
    const token = questionOf(await graph.invoke(null, at))?.token;
    expect(await stored.edit(from, to)).toBeGreaterThan(0);
    const state = await graph.invoke(null, at);
    expect(questionOf(state)?.calls).toHaveLength(1);
    expect(executions(`on ${kind} ${what}`)).toEqual([]);
    if (questionOf(state)?.token !== token) {
      const still = await graph.invoke(resume({ decisions: [{ type: "approve" }], token }), at);
      expect(questionOf(still)?.problem).toContain("token");
    }
    expect(executions(`on ${kind} ${what}`)).toEqual([]);
    await stored.close();
    await end();
  });

  it("a filter with a hostile key shows nothing of another thread", async ({ skip }) => {
    if (missing[kind] !== null) return skip(missing[kind]);
    const { stored, graph, at, end } = await open(kind);
    await graph.invoke({ messages: [human(), message("'canary of another thread'")] }, at);
    const mine = { configurable: { thread_id: crypto.randomUUID() } };
    await graph.invoke({ messages: [human(), message("'mine'")] }, mine);
    const seen: unknown[] = [];
    for (const key of ["a') OR 1=1--", '"', "a'; DROP TABLE checkpoints; --"]) {
      try {
        for await (const { values } of graph.getStateHistory(mine, { filter: { [key]: 1 } })) seen.push(values);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
    expect(JSON.stringify(seen)).not.toContain("canary of another thread");
    expect(statuses((await graph.getState(at)).values)).toEqual(["ok"]);
    await stored.close();
    await end();
  });

  it("a grant replayed, by going back or in another thread, counts for nothing", async ({ skip }) => {
    if (missing[kind] !== null) return skip(missing[kind]);
    const { stored, graph, at, end } = await open(kind);
    await graph.invoke({ messages: [human(), message(`ask; 'replayed on ${kind}'`)] }, at);
    await graph.invoke(APPROVE, { ...at, interruptBefore: ["execute"] });
    const before = (await graph.getState(at)).config;
    const calls = (await graph.getState(at)).values.calls;
    await graph.invoke(null, at);
    const again = await graph.invoke(null, before as typeof at);
    expect(statuses(again)).toEqual(["PolicyDenied"]);
    const other = { configurable: { thread_id: crypto.randomUUID() } };
    await graph.invoke(
      { messages: [human(), message(`ask; 'replayed on ${kind}'`)] },
      { ...other, interruptAfter: ["policy"] },
    );
    const waiting = (await graph.getState(other)).values.calls;
    expect(await stored.edit(JSON.stringify(waiting), JSON.stringify(calls))).toBeGreaterThan(0);
    const elsewhere = await graph.invoke(null, other);
    expect(questionOf(elsewhere)?.calls ?? statuses(elsewhere)).toHaveLength(1);
    expect(executions(`replayed on ${kind}`)).toHaveLength(1);
    await stored.close();
    await end();
  });
});
