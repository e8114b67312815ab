/**
 * Aborts, faults and control flow: what is not the call's doing passes the graph unchanged, and nothing hangs.
 * Stand-ins only for faults that a real sandbox cannot be made to have.
 */

import { getEventListeners } from "node:events";
import type { BaseMessage } from "@langchain/core/messages";
import { Command, GraphInterrupt, MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SandboxError } from "../../src/errors.ts";
import { createCodeTools } from "../../src/graph/tools.ts";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Receipt, Sandbox } from "../../src/types.ts";
import { ai, call, createListener, expectAnswered, FakeModel, human, statuses, within } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const loop = () => ({ messages: [human(), ai(call("c1", "while (true);"), call("c2", "1"))] });
const slow = { limits: { timeoutMs: 20_000 } };

describe("an abort", () => {
  it("before the run runs nothing", async () => {
    const source = "'aborted before'";
    const run = createCodeExecutionGraph({ sandbox: rig.sandbox }).invoke(
      { messages: [ai(call("c1", source))] },
      { signal: AbortSignal.abort() },
    );
    await expect(run).rejects.toThrow();
    expect(rig.executed).not.toContain(source);
  });

  it("while a program runs rejects at once, frees the worker, and leaves a thread that can go on", async () => {
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, ...slow, checkpointer: new MemorySaver() });
    const controller = new AbortController();
    const config = { configurable: { thread_id: "t" }, signal: controller.signal };
    const started = Promise.withResolvers<void>();
    const consume = async () => {
      for await (const event of await graph.stream(loop(), { ...config, streamMode: "custom" })) {
        if ((event as { event: string }).event === "finished") started.resolve();
      }
    };
    const running = consume();
    await within(10_000, started.promise);
    controller.abort();
    await expect(within(2000, running)).rejects.toThrow();
    const next = await graph.invoke({ messages: [human(), ai(call("c3", "3"))] }, { configurable: { thread_id: "t" } });
    expect(next.outcome?.kind).toBe("success");
  });

  it("while the model thinks rejects at once", async () => {
    const controller = new AbortController();
    const asked = Promise.withResolvers<void>();
    const model = new FakeModel(() => {
      asked.resolve();
      return new Promise(() => {});
    });
    const running = createCodeExecutionGraph({ sandbox: rig.sandbox, model }).invoke(
      { messages: [human()] },
      { signal: controller.signal },
    );
    await asked.promise;
    controller.abort();
    await expect(within(2000, running)).rejects.toThrow();
  });

  it("signal that serves many runs gets no listener from us: LangGraph itself leaves one for each", async () => {
    const { signal } = new AbortController();
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox });
    const runs = 30;
    for (let index = 0; index < runs; index++)
      await graph.invoke({ messages: [ai(call(`c${index}`, "1"))] }, { signal });
    expect(getEventListeners(signal, "abort").length).toBeLessThanOrEqual(runs);
  });
});

describe("a sandbox", () => {
  it("that is closed while a program runs has it answered as cancelled, and the graph ends so", async () => {
    const sandbox = await createSandbox({ workers: 1, standby: 0 });
    const messages = [ai(call("c1", "console.log('running'); while (true);"))];
    const started = Promise.withResolvers<void>();
    const consume = async () => {
      let last: { outcome?: { kind: string } | null; messages?: BaseMessage[]; receipts?: Receipt[] } = {};
      const stream = await createCodeExecutionGraph({ sandbox, ...slow }).stream(
        { messages },
        {
          streamMode: ["custom", "values"],
        },
      );
      for await (const [mode, part] of stream) {
        if (mode === "custom" && (part as { event: string }).event === "stdout") started.resolve();
        if (mode === "values") last = part as typeof last;
      }
      return last;
    };
    const running = consume();
    await within(10_000, started.promise);
    await sandbox.close();
    const end = await within(5000, running);
    expect(end.outcome?.kind).toBe("cancelled");
    expectAnswered(end);
    // It was ended, and had run all the same: its cost is in the receipt.
    expect(Math.max(...(end.receipts ?? []).map(({ usage }) => usage?.wallMs ?? 0))).toBeGreaterThan(0);
  });

  it("that was closed before rejects the run with POOL_CLOSED", async () => {
    const sandbox = await createSandbox({ workers: 1, standby: 0 });
    await sandbox.close();
    const run = createCodeExecutionGraph({ sandbox }).invoke({ messages: [ai(call("c1", "1"))] });
    await expect(run).rejects.toMatchObject({ name: "SandboxError", code: "POOL_CLOSED" });
  });

  it("that was closed before rejects a tool's call with POOL_CLOSED, through a sandbox around it as well", async () => {
    const sandbox = await createSandbox({ workers: 1, standby: 0 });
    const around = { ...sandbox };
    await sandbox.close();
    for (const used of [sandbox, around]) {
      const [runJavaScript] = createCodeTools({ sandbox: used });
      await expect(runJavaScript?.invoke({ source: "1" })).rejects.toMatchObject({ code: "POOL_CLOSED" });
      const run = createCodeExecutionGraph({ sandbox: used }).invoke({ messages: [ai(call("c1", "1"))] });
      await expect(run).rejects.toMatchObject({ code: "POOL_CLOSED" });
    }
  });

  const broken = (error: unknown, part: "execute" | "inspect" = "execute"): Sandbox => ({
    ...rig.sandbox,
    [part]: async () => {
      throw error;
    },
  });

  it("with a fault of the operator rejects the run with that very fault", async () => {
    const fault = new SandboxError("ENGINE_UNAVAILABLE", "No worker can start.");
    for (const part of ["execute", "inspect"] as const) {
      const run = createCodeExecutionGraph({ sandbox: broken(fault, part) }).invoke({
        messages: [ai(call("c1", "1"))],
      });
      await expect(run).rejects.toBe(fault);
    }
  });

  it("that fails otherwise has the call answered as unavailable, without the host's words", async () => {
    const secret = new Error("ENOENT /home/svc/app/secret.env at node:fs:12:3");
    for (const part of ["execute", "inspect"] as const) {
      const end = await createCodeExecutionGraph({ sandbox: broken(secret, part) }).invoke({
        messages: [ai(call("c1", "1"))],
      });
      expect(statuses(end)).toEqual(["Unavailable"]);
      expect(JSON.stringify(end)).not.toContain("secret.env");
      expectAnswered(end);
    }
  });

  it("that fails in one call leaves the other calls of the turn their results", async () => {
    const sandbox: Sandbox = {
      ...rig.sandbox,
      execute: (request) =>
        request.source === "'bad'" ? Promise.reject(new Error("x")) : rig.sandbox.execute(request),
    };
    const end = await createCodeExecutionGraph({ sandbox }).invoke({
      messages: [ai(call("a", "1"), call("b", "'bad'"), call("c", "3"))],
    });
    expect(statuses(end)).toEqual(["ok", "Unavailable", "ok"]);
  });

  it("that throws LangGraph's control flow has it passed on", async () => {
    const interrupt = new GraphInterrupt([{ value: "approve?", id: "i1" }]);
    const graph = createCodeExecutionGraph({ sandbox: broken(interrupt), checkpointer: new MemorySaver() });
    const end = await graph.invoke({ messages: [ai(call("c1", "1"))] }, { configurable: { thread_id: "t" } });
    expect(end).toHaveProperty("__interrupt__", [{ value: "approve?", id: "i1" }]);
    const command = new Command({ goto: "observe" });
    const run = createCodeExecutionGraph({ sandbox: broken(command) }).invoke({ messages: [ai(call("c1", "1"))] });
    await expect(run).rejects.toBe(command);
  });

  it("whose receipts cannot be written is the operator's fault, and is told", async () => {
    const onReceipt = () => {
      throw new Error("the audit log is full");
    };
    const run = createCodeExecutionGraph({ sandbox: rig.sandbox, onReceipt }).invoke({
      messages: [ai(call("c1", "1"))],
    });
    await expect(run).rejects.toThrow("the audit log is full");
  });
});
