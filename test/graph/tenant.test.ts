/**
 * Whose run it is: the deployment says it of the run's config, and the sandbox is told. That no worker runs programs of two
 * is the sandbox's to hold, and tested there.
 */

import { ToolMessage } from "@langchain/core/messages";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeExecutionMiddleware } from "../../src/graph/middleware.ts";
import { createCodeTools } from "../../src/graph/tools.ts";
import { createCodeExecutionGraph, type GraphOptions } from "../../src/graph/workflow.ts";
import type { TenantOf } from "../../src/options-graph.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { RunRequest, Sandbox } from "../../src/types.ts";
import { listLeaves } from "../studio/process-tree.ts";
import { ai, call, human, scripted } from "./rig.ts";

let real: Sandbox;
let sandbox: Sandbox;
const told: (string | undefined)[] = [];
beforeAll(async () => {
  real = await createSandbox({ containment: "process", workers: 1, standby: 1, startTimeoutMs: 60_000 });
  const execute = (request: RunRequest) => {
    told.push(request.tenant);
    return real.execute(request);
  };
  sandbox = { ...real, execute };
});
afterAll(() => real?.close());

const tenant: TenantOf = ({ configurable }) => configurable?.customer as string | undefined;
const messages = () => [ai(call("c1", "1"))];
const of = (customer: unknown) => ({ configurable: { customer } });

describe("the tenant of a run", () => {
  it("is what the deployment reads from the run's config", async () => {
    const graph = createCodeExecutionGraph({ sandbox, tenant });
    told.length = 0;
    for (const customer of ["acme", "globex", undefined])
      expect((await graph.invoke({ messages: messages() }, of(customer))).outcome?.kind).toBe("success");
    expect(told).toEqual(["acme", "globex", undefined]);
  });

  it("is told by tools as well", async () => {
    const node = new ToolNode(createCodeTools({ sandbox, tenant }));
    told.length = 0;
    const { messages: answers } = (await node.invoke({ messages: messages() }, of("acme"))) as {
      messages: ToolMessage[];
    };
    expect(answers[0]).toBeInstanceOf(ToolMessage);
    expect(told).toEqual(["acme"]);
  });

  it.skipIf(process.platform !== "linux")("means a worker of its own", async () => {
    const graph = createCodeExecutionGraph({ sandbox, tenant });
    const workersOf = async (customer: string) => {
      await graph.invoke({ messages: messages() }, of(customer));
      return listLeaves(process.pid).length;
    };
    expect(await workersOf("acme")).toBeGreaterThan(0);
    const before = new Set(listLeaves(process.pid).map(({ pid }) => pid));
    // One worker at work and one standing by: the fourth customer cannot have been served by any of those.
    for (const customer of ["one", "two", "three", "four"]) await workersOf(customer);
    expect(listLeaves(process.pid).some(({ pid }) => !before.has(pid))).toBe(true);
  });

  it.each([[""], ["x".repeat(201)], [7], [null], [{}]])("may not be %j", async (customer) => {
    const graph = createCodeExecutionGraph({ sandbox, tenant });
    await expect(graph.invoke({ messages: messages() }, of(customer))).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
      message: expect.stringContaining("tenant: expected a text of 1 to 200 characters or undefined"),
    });
  });

  it("is the deployment's own fault where the function fails, with nothing of its words", async () => {
    const failing = () => {
      throw new Error("postgres://app:fake-password@db");
    };
    const graph = createCodeExecutionGraph({ sandbox, tenant: failing });
    await expect(graph.invoke({ messages: messages() })).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
      message: "tenant: the function that says whose run it is has failed",
      cause: expect.objectContaining({ message: expect.stringContaining("postgres") }),
    });
  });

  it("is looked at by the middleware before a tool could tell the model what is wrong", async () => {
    const middleware = [codeExecutionMiddleware({ sandbox, tenant: () => 7 as unknown as string })];
    const agent = createAgent({ model: scripted(() => ai(call("c1", "1"))), tools: [], middleware });
    await expect(agent.invoke({ messages: [human()] })).rejects.toThrow("tenant: expected a text");
  });

  it("is asked by a function, or not at all", () => {
    const wrong = { sandbox, tenant: "acme" } as unknown as GraphOptions;
    expect(() => createCodeExecutionGraph(wrong)).toThrow(/tenant: expected a function/);
  });
});
