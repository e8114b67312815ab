/**
 * policy: a decision for each validated call, made from the messages and the manifest.
 */

import { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { createPolicyNode } from "../../src/nodes/policy.ts";
import { definePolicy } from "../../src/policy/define-policy.ts";
import type { Facts } from "../../src/types.ts";
import { ai, call, human } from "../graph/rig.ts";
import { configAt, createBench, stateOf } from "./core.ts";

const FAILED = '{"ok":false,"status":"error","stdout":[],"error":"TypeError","message":"x"}';
const answer = (id: string, content: string) => new ToolMessage({ tool_call_id: id, content });

describe("policy", () => {
  it("decides each valid call and answers what it denies", async () => {
    const { core, executed } = createBench();
    const { config, events } = configAt(2, 10);
    const update = await createPolicyNode(core)(stateOf([ai(call("a", "1"), call("b", "eval('1')"))]), config);
    expect(update.calls).toMatchObject([
      { id: "a", decision: { effect: "allow" } },
      { id: "b", decision: { effect: "deny" }, observation: expect.stringContaining("PolicyDenied") },
    ]);
    expect((update.calls as { observation?: string }[])[0]?.observation).toBeUndefined();
    expect(events.map(({ event, data }) => [event, (data as { effect: string }).effect])).toEqual([
      ["decided", "allow"],
      ["decided", "deny"],
    ]);
    expect(executed).toEqual([]);
  });

  it("says once what two rules say alike", async () => {
    const rule = (id: string) => ({ id, effect: "deny" as const, message: "No.", when: () => true });
    const policy = definePolicy({ name: "twice", extends: "allow-all", rules: [rule("a"), rule("b")] });
    const { core } = createBench({ policy });
    const update = await createPolicyNode(core)(stateOf([ai(call("a", "1"))]), configAt(2, 10).config);
    const [record] = update.calls as { observation?: string; decision: { reasons: unknown[] } }[];
    expect(record?.decision.reasons).toHaveLength(2);
    expect(JSON.parse(record?.observation ?? "null")).toMatchObject({ message: "No." });
  });

  it("asks for no manifest where no rule reads it, and once for each program where one does", async () => {
    const without = createBench({ policy: "allow-all" });
    await createPolicyNode(without.core)(stateOf([ai(call("a", "1"))]), configAt(2, 10).config);
    expect(without.inspected).toEqual([]);
    const reading = createBench();
    const node = createPolicyNode(reading.core);
    await node(stateOf([ai(call("a", "1"))]), configAt(2, 10).config);
    await node(stateOf([ai(call("b", "1"))]), configAt(2, 10).config);
    await node(stateOf([ai(call("c", "2"))]), configAt(2, 10).config);
    expect(reading.inspected).toEqual(["1", "2"]);
  });

  it("forgets the manifest that was used longest ago", async () => {
    const { core, inspected } = createBench();
    const node = createPolicyNode(core);
    for (let index = 0; index < 260; index++) await node(stateOf([ai(call("a", `${index}`))]), configAt(2, 10).config);
    await node(stateOf([ai(call("a", "259"))]), configAt(2, 10).config);
    expect(inspected).toHaveLength(260);
    await node(stateOf([ai(call("a", "0"))]), configAt(2, 10).config);
    expect(inspected).toHaveLength(261);
  });

  it("counts failures of the very same program since the last human message, and no others", async () => {
    const seen: number[] = [];
    const when = (facts: Facts) => {
      seen.push(facts.identicalFailures);
      return false;
    };
    const policy = definePolicy({
      name: "counting",
      extends: "allow-all",
      rules: [{ id: "count", effect: "deny", when, message: "x" }],
    });
    const node = createPolicyNode(createBench({ policy, maxTurns: 20 }).core);
    const before = [human(), ai(call("a", "1")), answer("a", FAILED)];
    const turns = [
      ...[ai(call("a", "1")), answer("a", FAILED)],
      ...[ai(call("a", "2")), answer("a", FAILED)],
      ...[ai(call("b", "1"), call("c", "1")), answer("b", FAILED), answer("c", '{"ok":true,"status":"ok"}')],
      ...[ai(call("d", "1")), answer("d", '{"ok":false,"status":"queue_timeout"}')],
      ...[ai(call("e", "1")), answer("e", "somebody's text")],
    ];
    await node(stateOf([...before, human(), ...turns, ai(call("z", "1"))]), configAt(2, 10).config);
    expect(seen).toEqual([2]);
  });

  it("denies where the policy itself fails", async () => {
    const { core } = createBench();
    const broken = {
      ...core.policy,
      evaluate: () => {
        throw new Error("broken");
      },
    };
    const failing = { ...core, settingsOf: () => ({ ...core.settingsOf({}), policies: [broken] }) };
    const update = await createPolicyNode(failing)(stateOf([ai(call("a", "1"))]), configAt(2, 10).config);
    expect(update.calls).toMatchObject([
      { decision: { effect: "deny" }, observation: expect.stringContaining("PolicyDenied") },
    ]);
  });
});
