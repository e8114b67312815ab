/**
 * What langgraph.json names, loaded as the server loads it: in a process of its own, with an environment of its own.
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const ASK = `
  const { graph } = await import("./graphs/agent.ts");
  const end = await graph.invoke({ messages: [{ role: "user", content: "What is the 100th prime?" }] }).catch((error) => error);
  const told = end instanceof Error ? { error: end.message } : { outcome: end.outcome, last: end.messages.at(-1).text };
  console.log(JSON.stringify(told));
  process.exit(0);
`;

function ask(env: Record<string, string>): { error?: string; last?: string; outcome?: { kind: string } } {
  const { OPENAI_API_KEY: _key, NODE_ENV: _env, ...rest } = process.env;
  const args = ["--input-type=module", "--disable-warning=ExperimentalWarning", "-e", ASK];
  return JSON.parse(execFileSync(process.execPath, args, { env: { ...rest, ...env }, encoding: "utf8" }));
}

describe("langgraph.json", () => {
  it("names agent and executor, each the export of a file", () => {
    const { graphs, node_version } = JSON.parse(readFileSync("langgraph.json", "utf8"));
    expect(graphs).toEqual({ agent: "./graphs/agent.ts:graph", executor: "./graphs/executor.ts:graph" });
    expect(node_version).toBe("24");
  });
});

describe("graphs/agent.ts", () => {
  it("without a key plays a script that says so, and how to get a model", () => {
    const { outcome, last } = ask({});
    expect(outcome?.kind).toBe("answer");
    expect(last).toMatch(/^Scripted, not a model\. .*OPENAI_API_KEY is not set.*541/);
  });

  it("without a key in production loads, and refuses the question in one sentence", () => {
    const { error } = ask({ NODE_ENV: "production" });
    expect(error).toMatch(/^There is no model here: OPENAI_API_KEY is not set\. Set it/);
  });
});
