/**
 * A real ChatOpenAI over HTTP drives the graph to an answer, to success, through a repair and to the cap.
 * The server refuses every history that the real API refuses, so that a run without faults is the proof.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChatRequest, callTool } from "../fixtures/openai-server.ts";
import { createRig, MODES, type Rig } from "./agent.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig?.close());

const lastOf = (request: ChatRequest) => request.messages.at(-1);

describe.each(MODES)("a model whose replies come %s", (mode) => {
  it("computes, sees the observation and answers", async () => {
    const { messages, outcome, observations, executed, server } = await rig.drive({
      mode,
      script: (request, turn) => {
        if (turn === 1)
          return [{ text: "Let me compute." }, { calls: [callTool("call_1", "console.log('hi'); 6 * 7")] }];
        const last = lastOf(request);
        const seen = last?.role === "tool" ? (JSON.parse(String(last.content)) as { result: unknown }) : null;
        return { text: `It is ${seen?.result}.` };
      },
    });
    expect(server.faults).toEqual([]);
    expect(messages.map((message) => message.type)).toEqual(["human", "ai", "tool", "ai"]);
    expect(messages.at(-1)?.content).toBe("It is 42.");
    expect(observations).toMatchObject([{ ok: true, result: 42, stdout: ["hi"] }]);
    expect(outcome).toMatchObject({ kind: "answer", turns: 1 });
    expect(executed).toEqual(["console.log('hi'); 6 * 7"]);
  });

  it("is offered our tool with one string argument, and its choice of limits is not asked", async () => {
    const { server } = await rig.drive({ mode, script: () => ({ text: "Nothing to compute." }) });
    const tools = server.requests[0]?.tools ?? [];
    expect(tools.map((tool) => tool.function.name)).toContain("run_javascript_sandboxed");
    for (const tool of tools) {
      expect(Object.keys((tool.function.parameters?.properties ?? {}) as object)).toEqual(["source"]);
      expect(tool.function.description?.length).toBeLessThanOrEqual(1200);
    }
  });

  it("ends without a call when it answers at once", async () => {
    const { messages, executed, outcome } = await rig.drive({ mode, script: () => ({ text: "Four." }) });
    expect(messages.map((message) => message.type)).toEqual(["human", "ai"]);
    expect(executed).toEqual([]);
    expect(["answer", "no_calls"]).toContain(outcome.kind);
  });

  it("is not asked again after success where success ends the graph", async () => {
    const { messages, outcome, server } = await rig.drive({
      mode,
      endOn: "success",
      script: () => ({ calls: [callTool("call_1", "6 * 7")] }),
    });
    expect(outcome).toMatchObject({ kind: "success", turns: 1 });
    expect(messages.at(-1)?.type).toBe("tool");
    expect(server.requests).toHaveLength(1);
  });

  it("repairs its code with the line that it is told", async () => {
    const { outcome, observations, server } = await rig.drive({
      mode,
      endOn: "success",
      script: (request, turn) => {
        if (turn === 1) return { calls: [callTool("call_1", "const user = null;\nuser.name")] };
        const last = lastOf(request);
        const seen =
          last?.role === "tool" ? (JSON.parse(String(last.content)) as { error: string; line: number }) : null;
        return { calls: [callTool("call_2", `"${seen?.error} in line ${seen?.line}"`)] };
      },
    });
    expect(server.faults).toEqual([]);
    expect(observations).toMatchObject([
      { status: "error", error: "TypeError", line: 2 },
      { status: "ok", result: "TypeError in line 2" },
    ]);
    expect(outcome).toMatchObject({ kind: "success", turns: 2 });
  });

  it("that never succeeds is ended by the cap with every call answered, and a second question starts fresh", async () => {
    let calls = 0;
    const failing = () => callTool(`call_${++calls}`, `throw new Error("attempt ${calls}")`);
    const first = { mode, endOn: "success" as const, script: () => ({ calls: [failing(), failing()] }) };
    const capped = await rig.drive(first);
    expect(capped.outcome).toMatchObject({ kind: "cap", turns: 3 });
    expect(capped.server.requests).toHaveLength(3);
    expect(capped.observations.map((seen) => seen.status)).toEqual(Array(6).fill("error"));
    expect(capped.server.faults).toEqual([]);

    calls = 0;
    const again = await rig.drive({ ...first, questions: ["Compute.", "Once more."] });
    expect(again.server.faults).toEqual([]);
    expect(again.server.requests).toHaveLength(6);
    expect(again.observations).toHaveLength(12);
    expect(again.outcome).toMatchObject({ kind: "cap", turns: 3 });
  });

  it("gets each of its parallel calls answered under its own id, in order", async () => {
    const { messages, observations, server } = await rig.drive({
      mode,
      script: (_request, turn) => {
        if (turn > 1) return { text: "Done." };
        return {
          calls: [callTool("a", "1"), callTool("b", "null.x"), callTool("c", "while (true);"), callTool("d", "4")],
        };
      },
    });
    expect(server.faults).toEqual([]);
    const answers = messages.filter((message) => message.type === "tool");
    expect(answers.map((message) => message.tool_call_id)).toEqual(["a", "b", "c", "d"]);
    expect(observations.map((seen) => seen.status)).toEqual(["ok", "error", "timeout", "ok"]);
    expect(observations.at(-1)?.result).toBe(4);
  });

  it.each([true, false])(
    "with parallel tool calls %s is asked so, and each call is answered",
    async (parallelToolCalls) => {
      const calls = parallelToolCalls ? [callTool("a", "1"), callTool("b", "2")] : [callTool("a", "1")];
      const { observations, server } = await rig.drive({
        mode,
        parallelToolCalls,
        script: (_request, turn) => (turn === 1 ? { calls } : { text: "Done." }),
      });
      expect(server.faults).toEqual([]);
      expect(server.requests.map((request) => Reflect.get(request, "parallel_tool_calls"))).toEqual([
        parallelToolCalls,
        parallelToolCalls,
      ]);
      expect(observations.map((seen) => seen.result)).toEqual(parallelToolCalls ? [1, 2] : [1]);
    },
  );

  it("can use a call id again in a later turn", async () => {
    const { observations, server } = await rig.drive({
      mode,
      script: (_request, turn) => (turn < 3 ? { calls: [callTool("call_0", `${turn}`)] } : { text: "Done." }),
    });
    expect(server.faults).toEqual([]);
    expect(observations.map((seen) => seen.result)).toEqual([1, 2]);
  });
});
