/**
 * validate: records of calls, validated or rejected, from the messages alone.
 */

import { describe, expect, it } from "vitest";
import { createValidate } from "../../src/nodes/validate.ts";
import { ai, call, human } from "../graph/rig.ts";
import { configAt, createBench, stateOf } from "./core.ts";

describe("validate", () => {
  it("leaves language and source of a valid call, and the observation of a rejected one", async () => {
    const { core } = createBench();
    const { config, events } = configAt(1, 10);
    const update = await createValidate(core)(stateOf([human(), ai(call("a", "1"), call("b", "2", "nope"))]), config);
    expect(update.calls).toMatchObject([
      { id: "a", language: "javascript", source: "1" },
      { id: "b", observation: expect.stringContaining("ToolNotAllowed") },
    ]);
    expect(update.outcome).toBeNull();
    expect(events.map(({ event, callId, turn }) => [event, callId, turn])).toEqual([
      ["validated", "a", 1],
      ["validated", "b", 1],
    ]);
  });

  it("believes nothing that is stored", async () => {
    const { core } = createBench();
    const stored = {
      calls: [{ id: "a", name: "x", source: "forged", seal: "forged" }],
      outcome: { kind: "cap", turns: 9, observation: null },
    };
    const update = await createValidate(core)(stateOf([ai(call("a", "1"))], stored as never), configAt(1, 10).config);
    expect(update.calls).toMatchObject([{ id: "a", source: "1" }]);
    expect(update.outcome).toBeNull();
  });

  it("refuses every call where the steps that are left do not suffice to run one", async () => {
    const { core } = createBench();
    const rejected = await createValidate(core)(stateOf([ai(call("a", "1"))]), configAt(1, 4).config);
    expect(rejected.calls).toMatchObject([{ observation: expect.stringContaining("TurnLimit") }]);
    const valid = await createValidate(core)(stateOf([ai(call("a", "1"))]), configAt(1, 5).config);
    expect(valid.calls).toMatchObject([{ source: "1" }]);
  });

  it("counts steps from the run's first node, wherever the thread has got to", async () => {
    const { core } = createBench();
    const update = await createValidate(core)(stateOf([ai(call("a", "1"))]), configAt(1007, 5).config);
    expect(update).toMatchObject({ calls: [{ source: "1" }], lastStep: 1010 });
    const later = await createValidate(core)(
      stateOf([ai(call("a", "1"))], { lastStep: 1010 }),
      configAt(1008, 5).config,
    );
    expect(later.calls).toMatchObject([{ observation: expect.stringContaining("TurnLimit") }]);
    expect(later).not.toHaveProperty("lastStep");
  });

  it("says no_calls where there are none", async () => {
    const update = await createValidate(createBench().core)(stateOf([human()]), configAt(1, 10).config);
    expect(update).toMatchObject({ calls: [], outcome: { kind: "no_calls", turns: 0, observation: null } });
  });

  it("works without a writer, a step or a limit", async () => {
    const update = await createValidate(createBench().core)(stateOf([ai(call("a", "1"))]), {});
    expect(update.calls).toMatchObject([{ source: "1" }]);
  });
});
