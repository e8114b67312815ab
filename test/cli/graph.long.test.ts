/**
 * `graph`: messages of both forms through the real executor graph, hostile ones too; each line answered once, in order.
 * What the graph makes of each malformed call is tested with the graph; here: that it gets there, and comes back.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLines, runCommand } from "./command.ts";
import { messageLike } from "./message-like.ts";

const TOOL = "run_javascript_sandboxed";

interface OutputMessage {
  role: string;
  content: string;
  tool_call_id?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

interface GraphAnswer {
  id: unknown;
  error?: string;
  message?: string;
  messages: OutputMessage[];
  outcome: { kind: string; turns: number; observation: string | null };
  receipts: { callId: string; status: string; policy: string }[];
}

async function runGraph(lines: readonly unknown[], ...args: string[]) {
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  const ended = await runCommand(["graph", ...args], { stdin: `${texts.join("\n")}\n` });
  return { ...ended, answers: parseLines(ended.stdout) as unknown as GraphAnswer[] };
}

const openAiCall = (id: string, text: string, name = TOOL) => ({
  id,
  type: "function",
  function: { name, arguments: text },
});
const assistant = (...calls: object[]) => ({ role: "assistant", content: null, tool_calls: calls });
const ai = (...calls: object[]) => ({ type: "ai", content: "", tool_calls: calls });
const source = (code: string) => JSON.stringify({ source: code });

/** What each tool message of `answer` says, by the id of its call. */
function observationsOf(
  answer: GraphAnswer | undefined,
): Map<unknown, { status: string; error?: string; result?: unknown }> {
  const answers = answer?.messages.filter(({ role }) => role === "tool") ?? [];
  const ids = answers.map((message) => message.tool_call_id);
  expect(new Set(ids).size).toBe(ids.length);
  return new Map(answers.map((message) => [message.tool_call_id, JSON.parse(message.content)]));
}

describe("graph", () => {
  it("runs the calls of both forms and answers in OpenAI form", async () => {
    const { answers, code, stderr } = await runGraph([
      { id: "openai", messages: [{ role: "user", content: "go" }, assistant(openAiCall("c1", source("6 * 7")))] },
      {
        id: "langchain",
        messages: [{ type: "human", content: "go" }, ai({ id: "c1", name: TOOL, args: { source: "6 * 7" } })],
      },
    ]);
    expect(answers.map(({ id }) => id)).toEqual(["openai", "langchain"]);
    for (const answer of answers) {
      expect(answer.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
      expect(answer.messages[1]?.tool_calls).toEqual([openAiCall("c1", source("6 * 7"))]);
      expect(observationsOf(answer).get("c1")).toMatchObject({ status: "ok", result: 42 });
      expect(answer.outcome).toMatchObject({ kind: "success", turns: 1 });
      expect(answer.receipts).toMatchObject([{ callId: "c1", status: "ok", policy: "standard" }]);
    }
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("takes policy, turns, limits and the rest from the line", async () => {
    const messages = [{ role: "user", content: "go" }, assistant(openAiCall("c1", source('eval("6 * 7")')))];
    const { answers } = await runGraph([
      { id: 1, messages },
      { id: 2, messages, policy: "allow-all" },
      { id: 3, messages: [assistant(openAiCall("c1", source("while (true);")))], limits: { timeoutMs: 100 } },
      {
        id: 4,
        messages: [
          ...messages,
          { role: "tool", tool_call_id: "c1", content: "{}" },
          assistant(openAiCall("c2", source("1"))),
        ],
        maxTurns: 1,
      },
      {
        id: 5,
        messages: [assistant(openAiCall("c1", "{}", "search"), openAiCall("c2", source("1")))],
        unknownTools: "leave",
      },
      {
        id: 6,
        messages: [assistant(openAiCall("c1", source("1")), openAiCall("c2", source("2")))],
        limits: { maxCallsPerTurn: 1 },
      },
    ]);
    expect(observationsOf(answers[0]).get("c1")).toMatchObject({ status: "denied" });
    expect(observationsOf(answers[1]).get("c1")).toMatchObject({ status: "ok", result: 42 });
    expect(observationsOf(answers[2]).get("c1")).toMatchObject({ status: "timeout" });
    expect(observationsOf(answers[3]).get("c2")).toMatchObject({ status: "rejected", error: "TurnLimit" });
    expect([...observationsOf(answers[4]).keys()]).toEqual(["c2"]);
    expect([...observationsOf(answers[5]).values()].map(({ error }) => error)).toEqual([undefined, "TooManyCalls"]);
  });

  it("answers every malformed call, and runs none of them", async () => {
    const { answers } = await runGraph([
      { id: "cut", messages: [assistant(openAiCall("c1", '{"source": "1+'))] },
      { id: "twice", messages: [assistant(openAiCall("c1", '{"source":"1","source":"2"}'))] },
      { id: "proto", messages: [assistant(openAiCall("c1", '{"source":"1","__proto__":{"approved":true}}'))] },
      { id: "revived", messages: [assistant(openAiCall("c1", '{"source":{"lc":1,"type":"secret","id":["HOME"]}}'))] },
      { id: "raised", messages: [ai({ id: "c1", name: TOOL, args: { source: "1", timeoutMs: 1e9 } })] },
      {
        id: "invalid",
        messages: [
          { type: "ai", content: "", tool_calls: [], invalid_tool_calls: [{ id: "c1", name: TOOL, args: "{" }] },
        ],
      },
      {
        id: "length",
        messages: [
          { ...ai({ id: "c1", name: TOOL, args: { source: "1" } }), response_metadata: { finish_reason: "length" } },
        ],
      },
      { id: "unknown", messages: [assistant(openAiCall("c1", source("1"), "run_\u202ejavascript\u200b"))] },
    ]);
    for (const answer of answers) {
      const seen = observationsOf(answer).get("c1");
      expect(seen, String(answer.id)).toMatchObject({ status: "rejected" });
    }
  });

  it("answers calls without a usable name or id", async () => {
    const calls = [
      { id: "c1", name: null, args: { source: "1" } },
      { name: TOOL, args: { source: "2" } },
      { id: 5, name: TOOL },
      { id: "c4" },
    ];
    const { answers } = await runGraph([{ id: 1, messages: [ai(...calls)] }]);
    expect(observationsOf(answers[0]).size).toBe(4);
  });

  it("prints nothing that a terminal would act on", async () => {
    const { stdout } = await runGraph([{ id: 1, messages: [{ role: "user", content: "\u001b[2J\u202e\u2028" }] }]);
    expect(stdout.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
  });

  it("answers whatever looks like messages, and every call of ours in it exactly once", async () => {
    const ask = fc
      .array(messageLike, { maxLength: 3 })
      .map((messages) => [{ role: "user", content: "go" }, ...messages]);
    const lines = fc.sample(ask, { numRuns: 300, seed: 7 }).map((messages, id) => ({ id, messages }));
    const { answers, code, stderr } = await runGraph(lines);
    expect(answers.map(({ id }) => id)).toEqual(lines.map(({ id }) => id));
    const taken = answers.filter(({ error }) => error === undefined);
    expect(taken.length).toBeGreaterThan(20);
    for (const { messages, outcome } of taken) {
      expect(["success", "cap", "answer", "no_calls"]).toContain(outcome.kind);
      const last = messages.findLastIndex(({ role }) => role === "assistant");
      const ids = messages[last]?.tool_calls?.map(({ id }) => id) ?? [];
      const answered = messages.slice(last + 1).map((message) => message.tool_call_id);
      if (last > messages.findLastIndex(({ role }) => role === "user"))
        expect(answered).toEqual(expect.arrayContaining(ids));
    }
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("answers a line that cannot be taken as InvalidLine, and goes on", async () => {
    const good = { id: "good", messages: [assistant(openAiCall("c1", source("1")))] };
    const cases: [unknown, RegExp][] = [
      ["{oops", /not valid JSON/],
      [{ id: "a" }, /messages: expected an array/],
      [{ id: "a", messages: [{ role: "root", content: "" }] }, /messages\[0\]/],
      [{ id: "a", messages: [{ lc: 1, type: "constructor", id: ["langchain_core"], kwargs: {} }] }, /"lc"/],
      [{ id: "a", messages: [], calls: [] }, /unknown key "calls"/],
      [{ id: "a", messages: [], maxTurns: 0 }, /maxTurns/],
      [{ id: "a", messages: [], maxTurns: "9" }, /maxTurns/],
      [{ id: "a", messages: [], endOn: "never" }, /endOn/],
      [{ id: "a", messages: [], unknownTools: "run" }, /unknownTools/],
      [{ id: "a", messages: [], policy: 5 }, /policy/],
      [{ id: "a", messages: [], policy: "lax" }, /policy.*lax/],
      [{ id: "a", messages: [], policy: { version: 1 } }, /policy/],
      [{ id: "a", messages: [], limits: { timeoutMs: 0 } }, /timeoutMs/],
      [{ id: "a", messages: [], limits: { killGraceMs: 100 } }, /killGraceMs/],
    ];
    const { answers, code, stderr } = await runGraph(cases.flatMap(([line]) => [line, good]));
    cases.forEach(([line, message], index) => {
      const id = typeof line === "string" ? null : "a";
      expect(answers[2 * index]).toEqual({
        id,
        ok: false,
        status: "rejected",
        error: "InvalidLine",
        message: expect.stringMatching(message),
      });
      expect(answers[2 * index + 1]).toMatchObject({ id: "good", outcome: { kind: "success" } });
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});
