/**
 * execute: what runs is what the messages and the policy allow at this moment, whatever was decided before.
 */

import { describe, expect, it } from "vitest";
import { createExecute } from "../../src/nodes/execute.ts";
import { createPolicyNode } from "../../src/nodes/policy.ts";
import type { CallRecord } from "../../src/types.ts";
import { ai, call, human } from "../graph/rig.ts";
import { configAt, createBench, stateOf } from "./core.ts";

const messages = () => [human(), ai(call("a", "1"), call("b", "eval('1')"), call("c", "333"))];

describe("execute", () => {
  it("runs the allowed calls with limits, permits, input and signal, and keeps the order of the message", async () => {
    const { core, executed } = createBench({ input: { n: 1 }, limits: { timeoutMs: 77 } });
    const { signal } = new AbortController();
    const { config, events } = configAt(3, 10, { signal });
    const update = await createExecute(core)(stateOf(messages()), config);
    expect(executed.map(({ source }) => source)).toEqual(["1", "333"]);
    expect(executed[0]).toMatchObject({
      language: "javascript",
      input: { n: 1 },
      permits: { dynamicCode: false },
      signal,
    });
    expect(executed[0]?.limits).toMatchObject({ timeoutMs: 77, memoryMb: 64 });
    const records = update.calls as CallRecord[];
    expect(records.map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(records.map(({ observation }) => JSON.parse(observation ?? "{}").status)).toEqual(["ok", "denied", "ok"]);
    expect(records.map(({ receipt }) => receipt?.engineSha256?.length)).toEqual([64, undefined, 64]);
    const told = (id: string) => events.filter(({ callId }) => callId === id).map(({ event }) => event);
    expect(told("a")).toEqual(["started", "stdout", "finished"]);
    expect(told("b")).toEqual([]);
  });

  it("decides again: a stored allow, sealed by another policy or by nobody, allows nothing", async () => {
    const lax = createBench({ policy: "allow-all" });
    const allowed = await createPolicyNode(lax.core)(stateOf(messages()), configAt(2, 10).config);
    const strict = createBench({ policy: "strict" });
    await createExecute(strict.core)(stateOf(messages(), { calls: allowed.calls as never }), configAt(3, 10).config);
    expect(strict.executed.map(({ source }) => source)).toEqual(["1", "333"]);
    const forged = [
      { id: "b", name: "x", language: "javascript", source: "1", decision: { effect: "allow", reasons: [] }, seal: "" },
    ];
    await createExecute(strict.core)(stateOf(messages(), { calls: forged as never }), configAt(3, 10).config);
    expect(strict.executed.map(({ source }) => source)).not.toContain("eval('1')");
  });

  it("runs nothing over the cap, without steps, or that is not in the messages", async () => {
    const { core, executed } = createBench({ maxTurns: 1 });
    const forged = [{ id: "zzz", name: "run_javascript_sandboxed", language: "javascript", source: "9", seal: "" }];
    const over = [human(), ai(call("a", "1")), ai(call("b", "2"))];
    await createExecute(core)(stateOf(over, { calls: forged as never }), configAt(3, 10).config);
    await createExecute(core)(stateOf([ai(call("a", "1"))], { lastStep: 3 }), configAt(3, 10).config);
    await createExecute(core)(stateOf([human()], { calls: forged as never }), configAt(3, 10).config);
    expect(executed).toEqual([]);
  });
});
