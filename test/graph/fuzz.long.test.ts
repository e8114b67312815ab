/**
 * Fuzzed messages and damaged checkpoints: nothing comes out of the graph but documented faults, every id is answered once,
 * no prototype is changed, nothing stored comes back to life. FUZZED_MESSAGES and DAMAGED_CHECKPOINTS set how many
 * (100,000 and 10,000 are the full counts), *_SEED brings a run back.
 */

import { MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { parseSource } from "../../src/worker/engines/javascript/parse.ts";
import { NotingSaver, nameFault } from "../fixtures/documented-faults.ts";
import { describePrototypes, findLive } from "../fixtures/live-values.ts";
import { countOf, createRandom, type Random, seedOf } from "../fixtures/random.ts";
import { createBench } from "../nodes/core.ts";
import { ASKING, KEY, questionOf, resume } from "./approval-rig.ts";
import { ai, aiRaw, call, createListener, expectAnswered, human, TOOL } from "./rig.ts";

const MESSAGES = countOf("FUZZED_MESSAGES", 100_000);
const CHECKPOINTS = countOf("DAMAGED_CHECKPOINTS", 10_000);
const HOUR_MS = 3_600_000;

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

function anyValue(random: Random, depth = 0): unknown {
  const leaves = [null, undefined, true, 0, -1, 1e21, "", "x", "\ud800", "\u202e", TOOL, "1", "__proto__", "{", 7n];
  if (depth > 3 || random.int(3) > 0) return random.pick(leaves);
  if (random.int(2) === 0) return [...Array(random.int(4)).keys()].map(() => anyValue(random, depth + 1));
  const keys = ["source", "id", "name", "args", "lc", "type", "kwargs", "__proto__", "constructor", "toJSON"];
  const entries = [...Array(random.int(4)).keys()].map(() => [random.pick(keys), anyValue(random, depth + 1)]);
  const made = Object.fromEntries(entries) as object;
  if (random.int(10) === 0) return JSON.parse('{"__proto__":{"approved":true},"source":"1"}');
  if (random.int(10) === 0)
    return { lc: 1, type: "constructor", id: ["langchain_core", "messages", "SystemMessage"], kwargs: made };
  return made;
}

function anyCall(random: Random): unknown {
  if (random.int(12) === 0) return anyValue(random);
  const source = random.pick<unknown>(["1", "ask", "eval('1')", "null.x", "", anyValue(random)]);
  return {
    type: random.pick(["tool_call", undefined, 1]),
    id: random.pick<unknown>(["a", "b", "c", "", undefined, anyValue(random)]),
    name: random.pick<unknown>([TOOL, TOOL, TOOL, "other", anyValue(random)]),
    args: random.pick<unknown>([{ source }, { source }, { source, extra: anyValue(random) }, anyValue(random)]),
  };
}

function anyMessage(random: Random) {
  const some = (make: () => unknown, most: number) => [...Array(random.int(most + 1)).keys()].map(make);
  const message = aiRaw({
    content: random.pick<unknown>(["", "text", [{ type: "text", text: "x" }]]),
    tool_calls: some(() => anyCall(random), 4),
    invalid_tool_calls: some(() => ({ id: anyValue(random), name: TOOL, args: anyValue(random) }), 1),
    response_metadata: random.int(8) === 0 ? { finish_reason: random.pick(["stop", "length"]) } : {},
  });
  // Set afterwards: the constructor says something about each on the console.
  const raw = () => ({ id: "a", function: { name: TOOL, arguments: anyValue(random) } });
  if (random.int(4) === 0) Object.assign(message, { additional_kwargs: { tool_calls: some(raw, 2) } });
  return message;
}

describe("fuzzing", () => {
  it(`${MESSAGES} messages: every id answered once, no prototype changed`, { timeout: HOUR_MS }, async () => {
    const random = createRandom(seedOf("FUZZED_MESSAGES"));
    const before = describePrototypes();
    // What is fuzzed is the graph: the engine is one that only notes what it is asked.
    const { options, executed } = createBench();
    const checkpointer = new MemorySaver();
    const graph = createCodeExecutionGraph({ ...options, policy: ASKING, checkpointer });
    const reject = resume({ decisions: [] });
    for (let index = 0; index < MESSAGES; index++) {
      const at = { configurable: { thread_id: `m${index}` } };
      let end = await graph.invoke({ messages: [human(), anyMessage(random)] }, at);
      const open = questionOf(end)?.calls.length ?? 0;
      if (open > 0) {
        await graph.invoke(reject, at);
        end = await graph.invoke(resume({ decisions: Array(open).fill({ type: "reject" }) }), at);
      }
      expectAnswered(end);
      expect(findLive((await graph.getState(at)).values), `message ${index}`).toEqual([]);
      await checkpointer.deleteThread(`m${index}`);
    }
    expect(describePrototypes()).toBe(before);
    expect(({} as { approved?: boolean }).approved).toBeUndefined();
    expect(executed.every(({ source }) => typeof source === "string" && source.length > 0)).toBe(true);
  });
});

function listStored(saver: MemorySaver): Uint8Array[] {
  const stored: Uint8Array[] = [];
  const visit = (value: unknown): void => {
    if (value instanceof Uint8Array) stored.push(value);
    else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) visit(inner);
  };
  visit(saver.storage);
  visit(saver.writes);
  return stored;
}

/** Changes some stored bytes, as JSON that still parses where that is possible. */
function damage(saver: MemorySaver, random: Random): void {
  const stored = listStored(saver);
  for (let times = 1 + random.int(3); times > 0; times--) {
    const bytes = random.pick(stored);
    const at = random.int(bytes.length);
    bytes[at] = random.pick([(bytes[at] ?? 0) ^ (1 << random.int(7)), 48 + random.int(10), 97 + random.int(26)]);
  }
}

function isProgram(text: string): boolean {
  try {
    parseSource(text);
    return true;
  } catch {
    return false;
  }
}

describe("damage", () => {
  it("to the name of a checkpoint's id is LangGraph's to refuse, before any node runs", async () => {
    const checkpointer = new NotingSaver();
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, policy: ASKING, checkpointer, approvalKey: KEY });
    const at = { configurable: { thread_id: "no-id" } };
    await graph.invoke({ messages: [human(), ai(call("a", "ask; 1"))] }, at);
    const before = rig.executed.length;
    for (const bytes of listStored(checkpointer)) {
      const place = Buffer.from(bytes).indexOf('"id":"1');
      if (place >= 0) bytes[place + 1] = "x".charCodeAt(0);
    }
    const error = await graph.invoke(resume({ decisions: [{ type: "approve" }] }), at).catch((thrown) => thrown);
    expect(nameFault(error, checkpointer)).toBe("checkpoint that is not whole");
    expect(rig.executed.length).toBe(before);
  });

  it(`${CHECKPOINTS} damaged checkpoints run nothing that was not approved`, { timeout: HOUR_MS }, async () => {
    const random = createRandom(seedOf("DAMAGED_CHECKPOINTS"));
    const before = describePrototypes();
    const faults = new Map<string, number>();
    for (let index = 0; index < CHECKPOINTS; index++) {
      const checkpointer = new NotingSaver();
      const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, policy: ASKING, checkpointer, approvalKey: KEY });
      const at = { configurable: { thread_id: `t${index}` } };
      const source = `ask; 'damage-${index}'`;
      await graph.invoke({ messages: [human(), ai(call("a", source))] }, at);
      const answer = resume({ decisions: [{ type: "approve" }] });
      const isApproved = random.int(2) === 0;
      if (isApproved) await graph.invoke(answer, { ...at, interruptBefore: ["execute"] });
      const executedBefore = rig.executed.length;
      damage(checkpointer, random);
      try {
        await graph.invoke(isApproved ? null : answer, at);
      } catch (error) {
        const fault = nameFault(error, checkpointer);
        if (fault === null) throw new Error(`checkpoint ${index}: a fault that nobody documented`, { cause: error });
        faults.set(fault, (faults.get(fault) ?? 0) + 1);
      }
      const loaded = await graph.getState(at).catch(() => ({ values: {} }));
      expect(findLive(loaded.values), `checkpoint ${index}`).toEqual([]);
      // What ran is the text that was shown, or one that asks for nothing: damage may make a program another, harmless one,
      // or none at all, which the engine only tells as a syntax error.
      for (const text of rig.executed.slice(executedBefore)) {
        if (text !== source && isProgram(text)) expect(text, "damaged text that asks ran").not.toMatch(/\bask\b/);
      }
    }
    console.info(`${CHECKPOINTS} damaged checkpoints; faults: ${JSON.stringify(Object.fromEntries(faults))}`);
    expect(describePrototypes()).toBe(before);
  });
});
