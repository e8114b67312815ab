/**
 * State that an earlier version stored loads in this one: what had ended goes on, what waited is answered, and a result
 * that was stored and not yet told is told without running its program again.
 */

import { readdirSync } from "node:fs";
import { Command } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadStored, makeStoredGraph } from "../fixtures/stored-state.ts";
import { ai, call, createListener, expectAnswered, human, observations } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const versions = readdirSync(new URL("../fixtures/", import.meta.url)).flatMap(
  (name) => /^state-(.+)\.json$/.exec(name)?.[1] ?? [],
);

it("there is a stored state to load", () => {
  expect(versions).toContain("0.1.0");
});

describe.each(versions)("the state that version %s stored", (version) => {
  const thread = (id: string) => ({ configurable: { thread_id: id } });
  const open = () => makeStoredGraph(rig.sandbox, loadStored(version));

  it("of a thread that had ended takes the next question", async () => {
    const graph = open();
    const { values } = await graph.getState(thread("ended"));
    expect(values).toMatchObject({ outcome: { kind: "success" }, receipts: [{ callId: "c1", status: "ok" }] });
    const end = await graph.invoke({ messages: [human(), ai(call("c2", "43"))] }, thread("ended"));
    expect(observations(end).map(({ result }) => result)).toEqual([42, 43]);
    expect(end.receipts).toHaveLength(2);
    expectAnswered(end);
  });

  it("of a thread that waits for a person takes the answer", async () => {
    const resume = { decisions: [{ type: "approve" }] };
    const end = await open().invoke(new Command({ resume }), thread("asked"));
    expect(observations(end)).toMatchObject([{ ok: true, result: 42 }]);
    expectAnswered(end);
  });

  it("of a thread that stopped with a result tells it, and runs nothing", async () => {
    const end = await open().invoke(null, thread("stopped"));
    expect(observations(end)).toMatchObject([{ ok: true, result: "a stored result" }]);
    expect(rig.executed).not.toContain("'a stored result'");
    expectAnswered(end);
  });
});
