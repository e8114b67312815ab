/**
 * What a person reads before approving, through the real graph and the real inspector of Python: what the program does that
 * the policy minds, by name, and no reason that the program does not give.
 */

import { MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { KEY, questionOf } from "./approval-rig.ts";
import { ai, call, createListener, observations } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const EXEC = "exec('x=1')\nx";
const messages = (source: string) => ({ messages: [ai(call("a", source, "run_python_sandboxed"))] });

async function question(ask: string[], source: string): Promise<string[]> {
  const graph = createCodeExecutionGraph({
    sandbox: rig.sandbox,
    ask,
    approvalKey: KEY,
    checkpointer: new MemorySaver(),
  });
  const paused = await graph.invoke(messages(source), { configurable: { thread_id: crypto.randomUUID() } });
  return questionOf(paused)?.actionRequests[0]?.description.split("\n").slice(1) ?? [];
}

async function refusal(ask: string[], source: string): Promise<string> {
  const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, ask });
  const [observation] = observations(await graph.invoke(messages(source)));
  expect(observation).toMatchObject({ status: "denied" });
  return observation?.message ?? "";
}

describe("with ask: dynamicCode", () => {
  it("the question about exec names it, and lists no modules of a program that imports nothing", async () => {
    expect(await question(["dynamicCode"], EXEC)).toEqual([
      expect.stringMatching(/^dynamic-code: Asked because of: exec\. /),
      "imports-python: This could not be ruled out: imports that are not written down in the program.",
    ]);
  });

  it("the denial where nobody can be asked says the same, without the doubt", async () => {
    const told = await refusal(["dynamicCode"], EXEC);
    expect(told).toMatch(/ counts as denied\. Asked because of: exec\. /);
    expect(told).not.toMatch(/modules|ruled out/);
  });

  it("so does the plain denial", async () => {
    const told = await refusal([], EXEC);
    expect(told).toMatch(/^Refused: exec\. /);
    expect(told).not.toMatch(/modules|ruled out/);
  });
});

describe("with ask: imports", () => {
  it("the question about a module names it", async () => {
    expect(await question(["imports"], "import os")).toEqual([
      expect.stringMatching(/^imports-python: Asked because of: os\. .*standard library can be imported/),
    ]);
  });

  it("so do both denials", async () => {
    expect(await refusal(["imports"], "import os")).toMatch(
      /denied\. Asked because of: os\. .*standard library can be imported/,
    );
    expect(await refusal([], "import os")).toMatch(/^Refused: os\. .*standard library can be imported/);
  });

  it("of a module that is there in part, it names what is not", async () => {
    expect(await refusal([], "import sys\nsys.exit(len(sys.modules))")).toMatch(/^Refused: sys\.modules\. Only these/);
    expect(await refusal([], "import sys\nprint(sys)")).toMatch(/^Refused: sys\.\*\. Only these/);
  });
});
