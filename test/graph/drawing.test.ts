/**
 * The drawings of both graphs: the README's picture and Studio's are made from them, so their words are part of the face.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { createListener, scripted } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

async function drawEdges(hasModel: boolean): Promise<string[]> {
  const model = hasModel ? { model: scripted("Hello.") } : {};
  const drawing = await createCodeExecutionGraph({ sandbox: rig.sandbox, ...model }).getGraphAsync();
  return drawing.edges
    .map(({ source, target, data }) => `${source} -${data === undefined ? "" : ` ${data} -`}> ${target}`)
    .sort();
}

const COMMON = [
  "validate - valid -> policy",
  "validate - rejected -> observe",
  "validate - no_calls -> __end__",
  "policy - allowed -> execute",
  "policy - ask -> approve",
  "policy - denied -> observe",
  "approve - allowed -> execute",
  "approve - ask -> approve",
  "approve - denied -> observe",
  "execute -> observe",
  "observe - success -> __end__",
  "observe - cap -> __end__",
  "observe - answer -> __end__",
  "observe - cancelled -> __end__",
  "__start__ - no steps -> __end__",
];

describe("the drawing", () => {
  it("of the agent goes from the model and back to it", async () => {
    const own = ["__start__ -> model", "model - calls -> validate", "observe - next -> model"];
    const ends = ["model - answer -> __end__", "model - no_calls -> __end__", "model - cap -> __end__"];
    expect(await drawEdges(true)).toEqual([...COMMON, ...own, ...ends].sort());
  });

  it("of the executor begins at validate", async () => {
    expect(await drawEdges(false)).toEqual(
      [...COMMON, "__start__ -> validate", "__start__ - no room -> observe"].sort(),
    );
  });

  it("is one that mermaid can show, with its labels", async () => {
    const drawing = await createCodeExecutionGraph({ sandbox: rig.sandbox, model: scripted("") }).getGraphAsync();
    const mermaid = drawing.drawMermaid();
    for (const label of ["valid", "denied", "success", "cap"]) expect(mermaid).toContain(`&nbsp;${label}&nbsp;`);
  });

  it("carries the graph's name", () => {
    expect(createCodeExecutionGraph({ sandbox: rig.sandbox }).getName()).toBe("sallyport");
    expect(createCodeExecutionGraph({ sandbox: rig.sandbox, name: "code" }).getName()).toBe("code");
  });
});
