/**
 * Random sequences of asking, approving, editing, rejecting, wrong answers, cancelling and going back in time,
 * against a small reference: a program is executed at most as often as a person has approved that very text.
 * APPROVAL_SEQUENCES sets how many (2,000 are the full count), APPROVAL_SEQUENCES_SEED brings one run back.
 */

import { MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import type { ApprovalRequest } from "../../src/policy/approval.ts";
import { countOf, createRandom, type Random, seedOf } from "../fixtures/random.ts";
import { ASKING, KEY, questionOf, resume } from "./approval-rig.ts";
import { ai, call, createListener, human, TOOL } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener({ workers: 2 });
});
afterAll(() => rig?.close());

const COUNT = countOf("APPROVAL_SEQUENCES", 2000);
const OPERATIONS = ["ask", "answer", "answer", "answer", "wrong", "cancel", "abort", "travel", "replay"] as const;
const WRONG: unknown[] = [
  "yes",
  true,
  { decisions: [] },
  { decisions: [{ type: "accept" }] },
  { decisions: [null], token: "x" },
];

interface Answer {
  value: object;
  /** Texts that it approves. */
  approves: string[];
}

/** The reference: how often each text was approved, and the texts that ask. */
class Reference {
  readonly #approved = new Map<string, number>();

  approve(texts: readonly string[]): void {
    for (const text of texts) this.#approved.set(text, (this.#approved.get(text) ?? 0) + 1);
  }

  check(executed: readonly string[], what: string): void {
    const times = new Map<string, number>();
    for (const text of executed) times.set(text, (times.get(text) ?? 0) + 1);
    for (const [text, count] of times) {
      if (text.startsWith("'free")) continue;
      expect(count, `${what}: ${text}`).toBeLessThanOrEqual(this.#approved.get(text) ?? 0);
    }
  }
}

class Person {
  readonly #random: Random;
  #texts = 0;
  readonly #name: string;

  constructor(random: Random, name: string) {
    this.#random = random;
    this.#name = name;
  }

  text(kind: "ask;" | "'free" | "'edit" | "forbidden;"): string {
    const name = `${this.#name}-${this.#texts++}`;
    return kind.startsWith("'") ? `${kind} ${name}'` : `${kind} '${name}'`;
  }

  answer({ calls, token }: ApprovalRequest): Answer {
    const approves: string[] = [];
    const decisions = calls.map(({ sourceJson }) => {
      const source = JSON.parse(sourceJson) as string;
      switch (this.#random.int(4)) {
        case 0:
          return { type: "reject", message: "No." };
        case 1: {
          const edited = this.text(this.#random.pick(["'edit", "ask;", "forbidden;"] as const));
          if (edited.startsWith("'")) approves.push(edited);
          return { type: "edit", editedAction: { name: TOOL, args: { source: edited } } };
        }
        default:
          approves.push(source);
          return { type: "approve" };
      }
    });
    return { value: { decisions, ...(this.#random.int(2) === 0 ? { token } : {}) }, approves };
  }
}

async function runSequence(seed: number, name: string): Promise<number> {
  const random = createRandom(seed);
  const person = new Person(random, name);
  const reference = new Reference();
  const options = random.int(2) === 0 ? { approvalKey: KEY } : {};
  const executedBefore = rig.executed.length;
  const mine = () => rig.executed.slice(executedBefore);
  const graph = createCodeExecutionGraph({
    sandbox: rig.sandbox,
    policy: ASKING,
    checkpointer: new MemorySaver(),
    ...options,
  });
  const at = { configurable: { thread_id: name } };
  let question: ApprovalRequest | undefined;
  let last: object = { decisions: [{ type: "approve" }] };
  let answered = 0;

  const newTurn = () => {
    const sources = [...Array(1 + random.int(3)).keys()].map(() =>
      person.text(random.pick(["ask;", "ask;", "'free"] as const)),
    );
    const calls = sources.map((source, index) => call(`call_${index}`, source));
    return { messages: [human(), ai(...calls)] };
  };
  const invoke = async (input: ReturnType<typeof newTurn> | ReturnType<typeof resume> | null, config: object = at) => {
    question = questionOf(await graph.invoke(input, config));
  };
  const steps = {
    ask: () => invoke(newTurn()),
    cancel: () => invoke(newTurn()),
    async answer() {
      if (question === undefined) return;
      const { value, approves } = person.answer(question);
      reference.approve(approves);
      last = value;
      const before = mine().length;
      await invoke(resume(value));
      for (const text of approves.filter((one) => question === undefined && one !== "")) {
        expect(mine().slice(before), `${name} answered`).toContain(text);
        answered += 1;
      }
    },
    async wrong() {
      if (question === undefined) return;
      const before = mine().filter((text) => !text.startsWith("'free")).length;
      await invoke(resume(random.pick(WRONG)));
      expect(mine().filter((text) => !text.startsWith("'free"))).toHaveLength(before);
      expect(question?.problem).toEqual(expect.any(String));
    },
    async abort() {
      await graph.invoke(newTurn(), { ...at, signal: AbortSignal.abort() }).catch(() => {});
      question = undefined;
    },
    async travel() {
      const configs: object[] = [];
      for await (const { config } of graph.getStateHistory(at, { limit: 12 })) configs.push(config);
      if (configs.length > 0) await invoke(null, random.pick(configs));
    },
    /** The last answer once more, to whatever waits: with a token of another question it counts for nothing. */
    async replay() {
      if (question === undefined || !("token" in last) || last.token === question.token) return;
      await invoke(resume(last));
    },
  };

  for (let step = 0, count = 4 + random.int(6); step < count; step++) {
    const operation = step === 0 ? "ask" : random.pick(OPERATIONS);
    await steps[operation]();
    reference.check(mine(), `seed ${seed} step ${step} ${operation}`);
  }
  return answered;
}

it(`${COUNT} random sequences execute approved text only, and what was approved`, { timeout: 1_800_000 }, async () => {
  const seed = seedOf("APPROVAL_SEQUENCES");
  let answered = 0;
  for (let index = 0; index < COUNT; index++) answered += await runSequence(seed + index, `s${index}`);
  console.info(`${COUNT} sequences, ${answered} approved programs executed`);
  expect(answered).toBeGreaterThan(COUNT / 10);
});
