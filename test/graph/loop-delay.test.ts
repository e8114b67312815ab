/**
 * The host's loop through the real graph: no hostile message, argument, manifest or resume holds it for more than 20 ms.
 * The least of several tries counts: what a busy machine, a collection or a first compilation adds is not the work's own.
 */

import { setImmediate as turn } from "node:timers/promises";
import { MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { createBench } from "../nodes/core.ts";
import { ASKING, resume } from "./approval-rig.ts";
import { ai, aiRaw, call, createListener, expectAnswered, human, TOOL } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const LIMIT_MS = 20;
/** On a machine where a harmless message itself takes long, so many times as long as that one. */
const TIMES_HARMLESS = 5;
const TRIES = 12;
let limitMs = LIMIT_MS;

/**
 * The longest that one turn of the loop took while `work` went on, in time of this thread's processor: other processes
 * of the machine, which a clock would count as well, are not the work's doing.
 */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.threadCpuUsage();
  };
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await turn();
    look();
  }
  look();
  await working;
  return longest;
}

/** `prepare` makes what `work` is then measured with: to make a hostile input is the attacker's time. */
async function leastOfTries<Given>(
  prepare: () => Given | Promise<Given>,
  work: (given: Given) => Promise<unknown>,
  enoughMs = limitMs,
) {
  let least = Number.POSITIVE_INFINITY;
  for (let index = 0; index < TRIES && least >= enoughMs; index++) {
    const given = await prepare();
    least = Math.min(least, await longestTurn(() => work(given)));
  }
  return least;
}

const deep = (levels: number) => {
  let value: unknown = {};
  for (let index = 0; index < levels; index++) value = { value };
  return value;
};
const many = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index));
const withArgs = (args: unknown) => aiRaw({ tool_calls: [{ type: "tool_call", id: "a", name: TOOL, args }] });
/** One string and no rope: its joining is not what is measured. */
const flat = (text: string) => Buffer.from(text, "utf16le").toString("utf16le");
const withRaw = (text: string) =>
  Object.assign(withArgs({ source: "1" }), {
    additional_kwargs: { tool_calls: [{ id: "a", function: { name: TOOL, arguments: flat(text) } }] },
  });

/** More calls than any provider lets a model make; beyond them LangGraph's own reducer takes as long as the nodes do. */
const MESSAGES: [string, () => ReturnType<typeof ai>][] = [
  ["two hundred calls", () => ai(...many(200, (index) => call(`c${index}`, "1")))],
  ["two hundred calls of one id", () => ai(...many(200, () => call("c", "1")))],
  [
    "two hundred invalid calls",
    () => aiRaw({ invalid_tool_calls: many(200, (id) => ({ id: `c${id}`, name: TOOL, args: "{" })) }),
  ],
  ["a text of eight million characters", () => aiRaw({ content: "x".repeat(8_000_000), tool_calls: [call("a", "1")] })],
  [
    "forty calls with the text of twenty thousand objects each",
    () =>
      Object.assign(ai(...many(40, (index) => call(`c${index}`, "1"))), {
        additional_kwargs: {
          tool_calls: many(40, (index) => ({
            id: `c${index}`,
            function: { name: TOOL, arguments: flat(`[${"{},".repeat(20_000)}{}]`) },
          })),
        },
      }),
  ],
  ["a tower of content", () => aiRaw({ content: [deep(1000)], tool_calls: [call("a", "1")] })],
  [
    "an id and a name of a million characters",
    () => aiRaw({ tool_calls: [{ ...call("x".repeat(1e6), "1"), name: "y".repeat(1e6) }] }),
  ],
];

const ARGUMENTS: [string, () => ReturnType<typeof ai>][] = [
  ["eight million characters of program", () => withArgs({ source: "x".repeat(8_000_000) })],
  ["a tower of a thousand objects", () => withArgs(deep(1000))],
  ["five thousand keys", () => withArgs(Object.fromEntries(many(5000, (index) => [`k${index}`, 1])))],
  ["eight million characters of raw text", () => withRaw(`{"source":"${"x".repeat(8_000_000)}"}`)],
  ["a raw tower of a million brackets", () => withRaw("[".repeat(1_000_000))],
  ["raw text that is escaped all over", () => withRaw(`{"source":"${"\\u202e".repeat(600_000)}"}`)],
];

/** As it is posted over HTTP: plain JSON with calls in OpenAI's form. */
const posted = (...texts: string[]) => ({
  role: "assistant",
  content: "",
  tool_calls: texts.map((text, index) => ({
    id: `c${index}`,
    type: "function",
    function: { name: TOOL, arguments: text },
  })),
});

const POSTED: [string, () => object][] = [
  ["eight million characters of program", () => posted(flat(`{"source":"${"x".repeat(8_000_000)}"}`))],
  ["a million objects", () => posted(flat(`[${"{},".repeat(1_000_000)}{}]`))],
  ["forty times as many objects as one call may have", () => posted(...many(40, () => `[${"{},".repeat(20_000)}{}]`))],
];

const MANIFESTS: [string, string][] = [
  ["a name in every third character", many(1300, (index) => String.fromCharCode(0x4e00 + index)).join(";\n")],
  ["members without end", `a${many(1900, (index) => `.${String.fromCharCode(97 + (index % 26))}`).join("")}`],
  ["a tower of brackets", "[".repeat(1990) + "]".repeat(1990)],
  ["unseen characters alone", `/*${"\u202e".repeat(3990)}*/`],
  [
    "imports without end",
    many(200, (index) => `import "m${index}"`)
      .join(";")
      .slice(0, 3990),
  ],
];

/** LangGraph has the checkpointer write an answer down before any node sees it: larger ones cost what that costs. */
const RESUMES: [string, () => unknown][] = [
  ["twenty thousand decisions", () => ({ decisions: many(20_000, () => null) })],
  ["a tower of a thousand objects", () => ({ decisions: [{ type: "edit", editedAction: deep(1000) }] })],
  [
    "an edit of two hundred thousand characters",
    () => ({ decisions: [{ type: "edit", editedAction: { name: TOOL, args: { source: "x".repeat(2e5) } } }] }),
  ],
  [
    "a message of two hundred thousand characters",
    () => ({ decisions: [{ type: "reject", message: "\u202e".repeat(2e5) }] }),
  ],
  ["ten thousand keys", () => Object.fromEntries(many(10_000, (index) => [`k${index}`, 1]))],
];

it("a turn of the loop that is held is seen", async () => {
  const held = await longestTurn(async () => {
    for (const before = process.threadCpuUsage(); process.threadCpuUsage(before).user < 60_000; );
  });
  expect(held).toBeGreaterThan(50);
});

describe("the host's loop is not held", () => {
  const bench = createBench();
  const graph = createCodeExecutionGraph({ ...bench.options, policy: ASKING });
  const run = async (message: ReturnType<typeof ai>) =>
    expectAnswered(await graph.invoke({ messages: [human(), message] }));
  const post = async (message: object) =>
    expectAnswered(await graph.invoke({ messages: [human(), message as ReturnType<typeof ai>] }));

  beforeAll(async () => {
    const harmless = await leastOfTries(() => ai(call("a", "1")), run, 0);
    limitMs = Math.max(LIMIT_MS, TIMES_HARMLESS * harmless);
  });

  it.each(MESSAGES)("by a message with %s", async (_title, make) => {
    expect(await leastOfTries(make, run)).toBeLessThan(limitMs);
  });

  it.each(ARGUMENTS)("by an argument of %s", async (_title, make) => {
    expect(await leastOfTries(make, run)).toBeLessThan(limitMs);
  });

  it.each(POSTED)("by a posted message with %s", async (_title, make) => {
    expect(await leastOfTries(make, post)).toBeLessThan(limitMs);
  });

  it.each(MANIFESTS)(
    "by the manifest of a program with %s, in the decision and in the question",
    async (_title, source) => {
      const made = createCodeExecutionGraph({
        sandbox: rig.sandbox,
        policy: ASKING,
        checkpointer: new MemorySaver(),
      });
      const asking = many(8, (index) => call(`c${index}`, `ask;${index};${source}`));
      const work = async () => {
        await made.invoke({ messages: [human(), ai(...asking)] }, { configurable: { thread_id: crypto.randomUUID() } });
      };
      expect(await leastOfTries(() => undefined, work)).toBeLessThan(limitMs);
    },
  );

  it.each(RESUMES)("by a resume that is %s", async (_title, make) => {
    const made = createCodeExecutionGraph({
      ...createBench().options,
      policy: "standard",
      ask: ["dynamicCode"],
      checkpointer: new MemorySaver(),
    });
    const prepare = async () => {
      const at = { configurable: { thread_id: crypto.randomUUID() } };
      const answer = make();
      await made.invoke({ messages: [human(), ai(call("a", "eval('1')"))] }, at);
      return { at, answer };
    };
    const work = ({ at, answer }: Awaited<ReturnType<typeof prepare>>) => made.invoke(resume(answer), at);
    expect(await leastOfTries(prepare, work)).toBeLessThan(limitMs);
  });
});
