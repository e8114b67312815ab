/**
 * A process killed in every node, before and after its writes are stored; another process takes the run up from the
 * checkpointer: the same end as an undisturbed run, and no program run again whose result was stored.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CheckpointerKind, findSqliteFault } from "../fixtures/checkpointers.ts";
import { type Postgres, startPostgres } from "../fixtures/postgres.ts";
import { runHost } from "../fixtures/run-host.ts";

const KEY = "an-approval-key-for-tests-and-nothing-else";
const folder = mkdtempSync(join(tmpdir(), "sallyport-crash-"));
const missing: Record<CheckpointerKind, string | null> = { sqlite: await findSqliteFault(), postgres: null };
let postgres: Postgres | undefined;
beforeAll(async () => {
  const started = await startPostgres();
  if ("missing" in started) missing.postgres = started.missing;
  else postgres = started;
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface End {
  messages: string[];
  outcome: { kind: string; turns: number };
  receipts: unknown[];
}

/** Stores of writes in the order of a run: the input's, then one for each node. */
const NODES = ["model", "validate", "policy", "execute", "observe", "model again"] as const;
const POINTS = NODES.flatMap((node, index) =>
  (["before", "after"] as const).map((moment) => ({ node, moment, nth: index + 2 })),
);
const sourceOf = (thread: string) => `'${thread}'`;
const doneOf = (thread: string): End => ({
  messages: [sourceOf(thread), "", `{"ok":true,"status":"ok","result":"${thread}","stdout":[]}`, "Done."],
  outcome: { kind: "answer", turns: 1, observation: expect.any(String) } as End["outcome"],
  receipts: [["c1", "ok", "allow"]],
});

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  const log = join(folder, `${kind}.log`);
  const location = () => (kind === "sqlite" ? join(folder, "checkpoints.sqlite") : String(postgres?.url));
  const timesRun = (thread: string) =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line === JSON.stringify(sourceOf(thread))).length;

  const run = async (task: object, key: string | undefined = KEY) => {
    const { code, lines, stderr } = await runHost("crash-host.ts", [
      JSON.stringify({ kind, location: location(), key, log, ...task }),
    ]);
    return { code, ends: (lines[0] ?? []) as End[], stderr };
  };

  it("a run killed in any node ends as an undisturbed one", async ({ skip }) => {
    if (missing[kind] !== null) return skip(missing[kind]);
    writeFileSync(log, "");
    const threads: string[] = [];
    for (const { node, moment, nth } of POINTS) {
      const thread = `${moment} the writes of ${node}`;
      const begin = { thread, source: sourceOf(thread), nth, moment, durability: "sync" };
      expect((await run({ begin })).code, thread).toBe(null);
      threads.push(thread);
    }
    const { ends, stderr } = await run({ resume: threads });
    expect(ends, stderr).toEqual(threads.map(doneOf));
    const runs = Object.fromEntries(threads.map((thread) => [thread, timesRun(thread)]));
    expect(runs).toEqual(
      Object.fromEntries(threads.map((thread) => [thread, thread === "before the writes of execute" ? 2 : 1])),
    );
  }, 240_000);

  it("a run without a key tells that the result was lost, and runs nothing by itself", async ({ skip }) => {
    if (missing[kind] !== null) return skip(missing[kind]);
    writeFileSync(log, "");
    const thread = "without a key";
    const begin = { thread, source: sourceOf(thread), nth: 5, moment: "after", durability: "sync" };
    expect((await run({ begin, key: undefined })).code).toBe(null);
    const { ends } = await run({ resume: [thread], key: undefined });
    expect(ends[0]?.messages[2]).toContain("The result of this call was lost");
    expect(timesRun(thread)).toBe(1);
  }, 60_000);

  it.each(["exit", "async"])(
    "a run with durability %s has its end stored",
    async (durability) => {
      if (missing[kind] !== null) return console.log(`skipped: ${missing[kind]}`);
      writeFileSync(log, "");
      const thread = `durability ${durability}`;
      const begin = { thread, source: sourceOf(thread), nth: 0, moment: "after", durability };
      expect((await run({ begin })).ends).toEqual([doneOf(thread)]);
      expect((await run({ resume: [thread] })).ends).toEqual([doneOf(thread)]);
      expect(timesRun(thread)).toBe(1);
    },
    60_000,
  );
});
