/**
 * model: when the model is asked, what it is shown, and how its words enter the state.
 */

import { AIMessage, type BaseMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { createModelNode } from "../../src/nodes/model.ts";
import type { Outcome } from "../../src/types.ts";
import { ai, call, human } from "../graph/rig.ts";
import { configAt, createBench, stateOf } from "./core.ts";

const OK = '{"ok":true,"status":"ok","result":1,"stdout":[]}';
const BAD = '{"ok":false,"status":"error","stdout":[],"error":"TypeError"}';

function createNode(options: object, reply: BaseMessage = new AIMessage("Done.")) {
  const asked: BaseMessage[][] = [];
  const ask = async (messages: BaseMessage[]) => {
    asked.push(messages);
    return reply;
  };
  return { node: createModelNode(createBench(options, true).core, ask, null), asked };
}

const turns = (...contents: string[]): BaseMessage[] =>
  contents.flatMap((content, index) => [
    ai(call(`c${index}`, "1")),
    new ToolMessage({ tool_call_id: `c${index}`, content }),
  ]);

describe("model", () => {
  it.each<[string, object, BaseMessage[], number, boolean]>([
    ["a first question", {}, [human()], 20, true],
    ["a turn that failed, under the cap", { maxTurns: 2 }, [human(), ...turns(BAD)], 20, true],
    ["a turn that failed, at the cap", { maxTurns: 1 }, [human(), ...turns(BAD)], 20, false],
    ["a success at the cap, for an answer", { maxTurns: 1, endOn: "answer" }, [human(), ...turns(OK)], 20, true],
    ["a success at the cap, on success", { maxTurns: 1 }, [human(), ...turns(OK)], 20, false],
    ["more turns than the cap", { maxTurns: 1, endOn: "answer" }, [human(), ...turns(OK, OK)], 20, false],
    ["a new question after the cap", { maxTurns: 1 }, [human(), ...turns(BAD), human()], 20, true],
    ["a first question with three steps left", {}, [human()], 4, true],
    ["a first question with two steps left", {}, [human()], 3, false],
    ["a failed turn with four steps left", {}, [human(), ...turns(BAD)], 5, false],
    ["a failed turn with five steps left", {}, [human(), ...turns(BAD)], 6, true],
  ])("after %s is asked or spared", async (_title, options, messages, recursionLimit, isAsked) => {
    const { node, asked } = createNode(options);
    const update = await node(stateOf(messages), configAt(1, recursionLimit).config);
    expect(asked).toHaveLength(isAsked ? 1 : 0);
    expect((update.outcome as Outcome | null)?.kind).toBe(isAsked ? "answer" : "cap");
    expect(update.calls).toEqual([]);
  });

  it("leaves the outcome open where it calls, and says whose calls they are where it does not", async () => {
    const kindOf = async (options: object, reply: BaseMessage) =>
      ((await createNode(options, reply).node(stateOf([human()]), configAt(1, 20).config)).outcome as Outcome | null)
        ?.kind ?? null;
    expect(await kindOf({}, ai(call("a", "1")))).toBeNull();
    expect(await kindOf({}, ai(call("a", "1", "theirs")))).toBeNull();
    expect(await kindOf({ unknownTools: "leave" }, ai(call("a", "1", "theirs")))).toBe("no_calls");
    expect(await kindOf({}, new AIMessage("  "))).toBe("no_calls");
  });

  it("takes a message id that is taken for none", async () => {
    const { node } = createNode({}, new AIMessage({ id: "m1", content: "Again." }));
    const first = new AIMessage({ id: "m1", content: "First." });
    const update = await node(stateOf([human(), first, human()]), configAt(1, 20).config);
    const [message] = (update.messages ?? []) as BaseMessage[];
    expect(message).toMatchObject({ content: "Again." });
    expect(message?.id).toBeUndefined();
  });

  it("shows the system message first", async () => {
    const asked: BaseMessage[][] = [];
    const ask = async (messages: BaseMessage[]) => {
      asked.push(messages);
      return new AIMessage("Done.");
    };
    const node = createModelNode(createBench({}, true).core, ask, new SystemMessage("Be brief."));
    await node(stateOf([human()]), configAt(1, 20).config);
    expect(asked[0]?.map((message) => message.getType())).toEqual(["system", "human"]);
  });
});
