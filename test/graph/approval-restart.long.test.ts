/**
 * Approval through a checkpointer on disk: the process that put the question is killed, another one takes the answer.
 * Each program is executed exactly once, over both processes, also two subgraph levels deep.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CheckpointerKind, findSqliteFault } from "../fixtures/checkpointers.ts";
import { type Postgres, startPostgres } from "../fixtures/postgres.ts";
import { startHost } from "../fixtures/run-host.ts";
import { KEY } from "./approval-rig.ts";
import { TOOL } from "./rig.ts";

interface Said {
  question: { token: string; calls: object[]; problem?: string } | null;
  executed: string[];
  answers: string[];
}

const folder = mkdtempSync(join(tmpdir(), "sallyport-approval-"));
let postgres: Postgres | undefined;
const missing: Record<CheckpointerKind, string | null> = { sqlite: await findSqliteFault(), postgres: null };
beforeAll(async () => {
  const started = await startPostgres();
  if ("missing" in started) missing.postgres = started.missing;
  else postgres = started;
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What a host of its own says to the task, before it is killed. */
async function inAProcess(task: object): Promise<Said> {
  const host = startHost("approval-host.ts", [JSON.stringify(task)]);
  try {
    return (await Promise.race([
      host.nextLine(),
      host.whenEnded.then(({ stderr }) => {
        throw new Error(stderr);
      }),
    ])) as Said;
  } finally {
    host.kill();
    await host.whenEnded;
  }
}

const locate = (kind: CheckpointerKind) => (kind === "sqlite" ? join(folder, "checkpoints.sqlite") : postgres?.url);
const SOURCES = ["ask; 'first'", "ask; 'second'", "ask; 'third'"];
const APPROVE = { type: "approve" };
const DECISIONS = [
  APPROVE,
  { type: "edit", editedAction: { name: TOOL, args: { source: "'edited'" } } },
  { type: "reject", message: "No." },
];
const errorsOf = ({ answers }: Said) => answers.map((text) => (JSON.parse(text) as { error?: string }).error ?? "ok");

describe.each(["sqlite", "postgres"] as const)("with %s", (kind) => {
  it.for([0, 2])(
    "%d levels deep, what another process asked is answered here, and runs exactly once",
    { timeout: 90_000 },
    async (levels, { skip }) => {
      const task = { kind, location: locate(kind), levels, key: KEY, thread: crypto.randomUUID() };
      if (missing[kind] !== null) skip(missing[kind]);
      const asked = await inAProcess({ ...task, sources: SOURCES });
      expect(asked.question?.calls).toHaveLength(3);
      expect(asked.executed).toEqual([]);
      const wrong = await inAProcess({ ...task, decisions: [APPROVE] });
      expect(wrong.executed).toEqual([]);
      expect(wrong.question?.problem).toContain("Expected 3 decisions");
      const answered = await inAProcess({ ...task, decisions: DECISIONS });
      expect(answered.executed).toEqual(["ask; 'first'", "'edited'"]);
      expect(errorsOf(answered)).toEqual(["ReferenceError", "ok", "ApprovalRejected"]);
      const again = await inAProcess({ ...task, decisions: DECISIONS }).catch(() => ({ executed: [] }));
      expect(again.executed).toEqual([]);
    },
  );

  it("without a key an answer counts by its token, or once this process has put the question", {
    timeout: 90_000,
  }, async ({ skip }) => {
    if (missing[kind] !== null) skip(missing[kind]);
    const task = { kind, location: locate(kind), levels: 0, thread: crypto.randomUUID() };
    const asked = await inAProcess({ ...task, sources: SOURCES });
    const unproven = await inAProcess({ ...task, decisions: DECISIONS });
    expect(unproven.executed).toEqual([]);
    expect(unproven.question?.problem).toContain("cannot tell");
    const answered = await inAProcess({ ...task, decisions: DECISIONS, token: asked.question?.token });
    expect(answered.executed).toEqual(["ask; 'first'", "'edited'"]);
  });
});
