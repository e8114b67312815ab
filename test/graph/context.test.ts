/**
 * What a caller of the graph may ask for with `context`: less than the deployment allows, never more.
 * And what a wrong option of the deployment is told.
 */

import {
  getConfigTypeSchema,
  getInputTypeSchema,
  getOutputTypeSchema,
  getUpdateTypeSchema,
} from "@langchain/langgraph/zod/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SandboxError } from "../../src/errors.ts";
import { createCodeTools } from "../../src/graph/tools.ts";
import { createCodeExecutionGraph, type GraphOptions } from "../../src/graph/workflow.ts";
import { definePolicy } from "../../src/policy/define-policy.ts";
import type { CallLimits, Facts } from "../../src/types.ts";
import { ai, call, createListener, FakeModel, human, observations, scripted, statuses } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const SHORT = {
  id: "short",
  effect: "deny",
  when: ({ source }: Facts) => source.length > 5,
  message: "Too long.",
} as const;
const failing = () => new FakeModel((_prompt, asked) => ai(call(`c${asked}`, `null.x${asked}`)));
const run = (source: string, context: Record<string, unknown> | undefined, options: Partial<GraphOptions> = {}) =>
  createCodeExecutionGraph({ sandbox: rig.sandbox, ...options }).invoke(
    { messages: [ai(call("c1", source))] },
    context === undefined ? {} : { context },
  );

describe("a context", () => {
  it.each<[string, Record<string, unknown> | undefined, number]>([
    ["that is missing", undefined, 3],
    ["that is empty", {}, 3],
    ["of somebody else", { userId: "u1", tenant: { policy: 7 } }, 3],
    ["with fewer turns", { maxTurns: 1 }, 1],
    ["with more turns", { maxTurns: 50 }, 3],
  ])("%s keeps the cap: %j gives %i turns", async (_title, context, turns) => {
    const model = failing();
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, model, maxTurns: 3 });
    const end = await graph.invoke({ messages: [human()] }, context === undefined ? {} : { context });
    expect(end.outcome).toMatchObject({ kind: "cap", turns });
    expect(model.prompts).toHaveLength(turns);
  });

  it("lowers a limit and cannot raise one", async () => {
    expect(statuses(await run("while (true);", { limits: { timeoutMs: 50 } }))).toEqual(["Timeout"]);
    const raised = await run("while (true);", { limits: { timeoutMs: 60_000 } }, { limits: { timeoutMs: 100 } });
    expect(statuses(raised)).toEqual(["Timeout"]);
    expect(statuses(await run("1 + 1 + 1", { limits: { sourceChars: 5 } }))).toEqual(["InvalidArguments"]);
  });

  it("adds a policy, which has to allow a call as well, and cannot replace the deployment's", async () => {
    expect(statuses(await run("const _x = 1; _x", undefined))).toEqual(["ok"]);
    expect(statuses(await run("const _x = 1; _x", { policy: "strict" }))).toEqual(["PolicyDenied"]);
    expect(statuses(await run("eval('1')", { policy: "allow-all" }))).toEqual(["PolicyDenied"]);
    const end = await run("1", { policy: "strict" });
    expect(end.receipts?.[0]?.policy).toBe("standard+strict");
  });

  it("takes from the guest what either policy takes", async () => {
    const source = "typeof eval";
    expect(observations(await run(source, undefined, { policy: "allow-all" }))[0]?.result).toBe("function");
    const end = await run(source, { policy: "standard" }, { policy: "allow-all" });
    expect(observations(end)[0]?.result ?? "denied").not.toBe("function");
  });

  it("may end sooner, on success, and not later", async () => {
    const talkative = () => scripted(() => ai(call("c1", "1")), "Done.");
    const end = await createCodeExecutionGraph({ sandbox: rig.sandbox, model: talkative(), endOn: "answer" }).invoke(
      { messages: [human()] },
      { context: { endOn: "success" } },
    );
    expect(end.outcome?.kind).toBe("success");
    const later = await createCodeExecutionGraph({ sandbox: rig.sandbox, model: talkative() }).invoke(
      { messages: [human()] },
      { context: { endOn: "answer" } },
    );
    expect(later.outcome?.kind).toBe("success");
  });

  it.each<[string, Record<string, unknown>]>([
    ["maxTurns", { maxTurns: "3" }],
    ["maxTurns", { maxTurns: 0 }],
    ["maxTurns", { maxTurns: Number.POSITIVE_INFINITY }],
    ["endOn", { endOn: "never" }],
    ["limits.timeoutMs", { limits: { timeoutMs: -1 } }],
    ["policy", { policy: { rules: [] } }],
    ["policy", { policy: "no-such-policy" }],
  ])("with a wrong %s is a fault that names it, and runs nothing: %j", async (option, context) => {
    const source = `'wrong ${JSON.stringify(context).replaceAll("'", "")}'`;
    const fault = await run(source, context).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(SandboxError);
    expect(fault).toMatchObject({ code: "INVALID_OPTIONS", message: expect.stringContaining(option) });
    expect(rig.executed).not.toContain(source);
  });
});

describe("a policy that the deployment offers", () => {
  const policies = [definePolicy({ name: "short", extends: "standard", rules: [SHORT] })];

  it("is added by its name, and the presets are then not offered", async () => {
    expect(statuses(await run("1 + 1 + 1", { policy: "short" }, { policies }))).toEqual(["PolicyDenied"]);
    expect(statuses(await run("1", { policy: "short" }, { policies }))).toEqual(["ok"]);
    const fault = await run("1", { policy: "strict" }, { policies }).catch((error: unknown) => error);
    expect(fault).toMatchObject({ message: 'context: policy: expected one of short, got "strict"' });
  });

  it("that is wrong is a fault of the deployment", () => {
    expect(() => createCodeExecutionGraph({ sandbox: rig.sandbox, policies: ["nope" as never] })).toThrow(SandboxError);
  });
});

describe("the schemas that the server shows", () => {
  const graph = () => createCodeExecutionGraph({ sandbox: rig.sandbox, maxTurns: 5, limits: { timeoutMs: 700 } });
  const described = (schema: unknown) =>
    (schema as { properties: Record<string, { description?: string }> }).properties;

  it("have the context, with the deployment's values as defaults and bounds", () => {
    const shown = described(getConfigTypeSchema(graph()));
    expect(Object.keys(shown)).toEqual(["maxTurns", "policy", "endOn", "limits"]);
    expect(shown.maxTurns).toMatchObject({ type: "integer", minimum: 1, maximum: 5, default: 5 });
    expect(shown.policy).toMatchObject({ type: "string", enum: ["strict", "standard", "allow-all"] });
    expect(shown.endOn).toMatchObject({ enum: ["success"], default: "success" });
    const limits = described(shown.limits);
    expect(limits.timeoutMs).toMatchObject({ type: "integer", minimum: 1, maximum: 700, default: 700 });
    for (const part of [...Object.values(shown), ...Object.values(limits)]) expect(part.description).toMatch(/\w{3}/);
  });

  it("have input, output and state, each part described", () => {
    const parts = {
      input: getInputTypeSchema(graph()),
      output: getOutputTypeSchema(graph()),
      state: getUpdateTypeSchema(graph()),
    };
    expect(Object.keys(described(parts.input))).toEqual(["messages"]);
    expect(Object.keys(described(parts.output))).toEqual(["messages", "outcome", "receipts"]);
    for (const shown of Object.values(parts))
      for (const part of Object.values(described(shown))) expect(part.description).toMatch(/\w{3}/);
  });
});

describe("an option of the graph", () => {
  it.each<[string, object]>([
    ["sandbox", { sandbox: undefined }],
    ["sandbox", { sandbox: {} }],
    ["model", { model: {} }],
    ["policy", { policy: "no-such-policy" }],
    ["policy", { policy: null }],
    ["policies", { policies: "strict" }],
    ["maxTurns", { maxTurns: 0 }],
    ["maxTurns", { maxTurns: 2.5 }],
    ["maxCallsPerTurn", { maxCallsPerTurn: 65 }],
    ["endOn", { endOn: "done" }],
    ["unknownTools", { unknownTools: "ignore" }],
    ["limits.timeoutMs", { limits: { timeoutMs: 0 } }],
    ["killGraceMs", { limits: { killGraceMs: 1 } }],
    ["input", { input: () => 1 }],
    ["systemMessage", { systemMessage: 5 }],
    ["checkpointer", { checkpointer: {} }],
    ["name", { name: "" }],
    ["onReceipt", { onReceipt: "log" }],
    ["maxTurn", { maxTurn: 3 }],
  ])("%s that is wrong is INVALID_OPTIONS, which names it", (option, wrong) => {
    const make = () => createCodeExecutionGraph({ sandbox: rig.sandbox, ...wrong } as GraphOptions);
    expect(make).toThrow(SandboxError);
    expect(make).toThrow(option);
  });

  it("takes its turns from the sandbox's limits where it is not given", async () => {
    const sandbox = { ...rig.sandbox, limits: { ...rig.sandbox.limits, maxTurns: 1 } };
    const model = failing();
    await createCodeExecutionGraph({ sandbox, model }).invoke({ messages: [human()] });
    expect(model.prompts).toHaveLength(1);
  });

  it("is asked for where there are no options at all", () => {
    expect(() => createCodeExecutionGraph(undefined as never)).toThrow(/createCodeExecutionGraph: sandbox: expected/);
    expect(() => createCodeTools(undefined as never)).toThrow(/createCodeTools: sandbox: expected/);
    expect(() => createCodeTools({ sandbox: rig.sandbox, limits: { nope: 1 } as Partial<CallLimits> })).toThrow(/nope/);
  });
});
