/**
 * What langgraph.json names, loaded as the server loads it: in a process of its own, with an environment of its own.
 */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const ASK = `
  const { graph } = await import("./graphs/" + process.env.GRAPH + ".ts");
  const end = await graph.invoke({ messages: [{ role: "user", content: "Compute." }] }).catch((error) => error);
  const kinds = end instanceof Error ? [] : end.messages.map((message) => message.name ?? message.getType());
  const told = end instanceof Error ? { error: end.message } : { outcome: end.outcome, kinds, last: end.messages.at(-1).text };
  console.log(JSON.stringify(told));
  setInterval(() => {}, 1000);
  process.kill(process.pid, "SIGTERM");
`;

interface Told {
  error?: string;
  last?: string;
  kinds?: string[];
  outcome?: { kind: string };
}

/** The graph's answer. The process ends by the signal that a server is ended by, and leaves nothing behind. */
function ask(graph: string, env: Record<string, string> = {}): Told {
  const { OPENAI_API_KEY: _key, NODE_ENV: _env, ...rest } = process.env;
  const args = ["--input-type=module", "--disable-warning=ExperimentalWarning", "-e", ASK];
  const done = spawnSync(process.execPath, args, { env: { ...rest, GRAPH: graph, ...env }, encoding: "utf8" });
  expect(done.signal, done.stderr).toBe("SIGTERM");
  return JSON.parse(done.stdout);
}

describe("langgraph.json", () => {
  it("names agent, executor and embedded, each the export of a file", () => {
    const { graphs, node_version } = JSON.parse(readFileSync("langgraph.json", "utf8"));
    const names = ["agent", "executor", "embedded"];
    expect(graphs).toEqual(Object.fromEntries(names.map((name) => [name, `./graphs/${name}.ts:graph`])));
    expect(node_version).toBe("24");
  });
});

describe("graphs/agent.ts", () => {
  it("without a key plays a script that says so, and how to get a model", () => {
    const { outcome, last } = ask("agent");
    expect(outcome?.kind).toBe("answer");
    expect(last).toMatch(/^Scripted, not a model\. .*OPENAI_API_KEY is not set.*541/);
  });

  it("without a key in production loads, and refuses the question in one sentence", () => {
    const { error } = ask("agent", { NODE_ENV: "production" });
    expect(error).toMatch(/^There is no model here: OPENAI_API_KEY is not set\. Set it/);
  });
});

describe("graphs/embedded.ts", () => {
  it("looks up with its own tools, computes with ours, and answers", () => {
    const { kinds, last } = ask("embedded");
    const [human, ai, code] = ["human", "ai", "run_javascript_sandboxed"];
    expect(kinds).toEqual([human, ai, "list_orders", "exchange_rate", ai, code, ai]);
    expect(last).toMatch(/^Scripted, not a model\. .*"ok":true,"status":"ok","result":2212/);
  });
});

describe("graphs/executor.ts", () => {
  it("answers messages without calls, and ends by a signal", () => {
    expect(ask("executor").outcome?.kind).toBe("no_calls");
  });
});
