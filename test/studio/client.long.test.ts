/**
 * What a client of the LangGraph server does all day, with the SDK and the real development server: stream, stop, go on,
 * cancel, go back, many threads and runs at once. A fault of one run must be that run's.
 */

import { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StudioServer, startStudio } from "./studio-server.ts";

interface Posted {
  type: string;
  id?: string;
  content: unknown;
  name?: string;
  tool_call_id?: string;
}
interface State {
  messages: Posted[];
  outcome?: { kind: string; turns: number } | null;
}

const human = { type: "human", content: "Compute." };

function ask(...sources: string[]) {
  const tool_calls = sources.map((source, index) => {
    return { id: `call_${index}`, name: "run_javascript_sandboxed", args: { source }, type: "tool_call" };
  });
  return { messages: [human, { type: "ai", content: "", tool_calls }] };
}

function read(state: unknown): { status: string; result?: unknown }[] {
  const { messages } = state as State;
  return messages.filter(({ type }) => type === "tool").map(({ content }) => JSON.parse(String(content)));
}

describe.skipIf(process.platform !== "linux")("a client of the server", () => {
  let studio: StudioServer;
  let client: Client;

  beforeAll(async () => {
    studio = await startStudio(process.execPath, [".ci/studio.mjs"], ["--no-reload", "--host", "127.0.0.1"]);
    client = new Client({ apiUrl: studio.url, apiKey: null });
  });
  afterAll(() => studio?.stop());

  const thread = async () => (await client.threads.create()).thread_id;

  it("streams every mode, subgraphs too", async () => {
    const seen = new Set<string>();
    const input = { messages: [{ type: "human", content: "What did we sell?" }] };
    const streamMode = ["values", "updates", "messages-tuple", "custom", "debug"] as const;
    const stream = client.runs.stream(null, "embedded", {
      input,
      streamMode: [...streamMode],
      streamSubgraphs: true,
    });
    let last: unknown;
    for await (const { event, data } of stream) {
      const [mode = "", namespace] = event.split("|");
      seen.add(namespace === undefined ? mode : `${mode}|${namespace.split(":")[0]}`);
      if (event === "values") last = data;
    }
    for (const mode of ["values", "updates", "messages", "debug"])
      expect([...seen]).toEqual(expect.arrayContaining([mode, `${mode}|code`]));
    expect([...seen].filter((mode) => mode.startsWith("custom"))).toHaveLength(1);
    expect((last as State).messages.at(-1)?.content).toContain("2212");
  });

  it("tells printed lines before the program has ended", async () => {
    const source = "console.log('first'); for (let spin = 0; spin < 3e8; spin++); 1";
    const told = new Map<string, number>();
    for await (const part of client.runs.stream(null, "executor", { input: ask(source), streamMode: ["custom"] })) {
      const { event, at } = part.data as unknown as { event: string; at: number };
      if (part.event === "custom") told.set(event, at);
    }
    expect([...told.keys()]).toEqual(["validated", "decided", "started", "stdout", "finished"]);
    expect((told.get("finished") ?? 0) - (told.get("stdout") ?? 0)).toBeGreaterThan(30);
  });

  it("stops before a node and goes on", async () => {
    const id = await thread();
    await client.runs.wait(id, "executor", { input: ask("'after the stop'"), interruptBefore: ["execute"] });
    expect((await client.threads.getState(id)).next).toEqual(["execute"]);
    const state = await client.runs.wait(id, "executor", { input: null });
    expect(read(state)).toMatchObject([{ status: "ok", result: "after the stop" }]);
  });

  it("lowers turns, limits and policy by context, and cannot raise them", async () => {
    const slow = ask("while (true);");
    const context = { maxTurns: 1, limits: { timeoutMs: 50 } };
    const lowered = await client.runs.wait(null, "executor", { input: slow, context });
    expect(read(lowered)).toMatchObject([{ status: "timeout" }]);
    expect((lowered as unknown as State).outcome).toMatchObject({ kind: "cap", turns: 1 });
    const strict = await client.runs.wait(null, "executor", {
      input: ask("const _x = 1; _x"),
      context: { policy: "strict" },
    });
    expect(read(strict)).toMatchObject([{ status: "denied" }]);
    const raised = await client.runs.wait(null, "executor", {
      input: slow,
      context: { limits: { timeoutMs: 60_000 } },
    });
    expect(read(raised)).toMatchObject([{ status: "timeout" }]);
  });

  it("is told which option of its context is wrong", async () => {
    const wrong = client.runs.wait(null, "executor", {
      input: ask("1"),
      context: { policy: "nope" },
      raiseError: true,
    });
    await expect(wrong).rejects.toThrow(/policy: expected one of strict, standard, allow-all/);
  });

  it("cancels a run, and the thread goes on", async () => {
    const id = await thread();
    const endless = Array.from({ length: 8 }, () => "while (true);");
    const run = await client.runs.create(id, "executor", { input: ask(...endless) });
    await expect.poll(async () => (await client.runs.get(id, run.run_id)).status, { timeout: 10_000 }).toBe("running");
    await client.runs.cancel(id, run.run_id, true);
    expect((await client.runs.get(id, run.run_id)).status).not.toBe("success");
    const state = await client.runs.wait(id, "executor", { input: ask("'alive'") });
    expect(read(state).at(-1)).toMatchObject({ status: "ok", result: "alive" });
  });

  it("goes back in time and takes another way", async () => {
    const id = await thread();
    await client.runs.wait(id, "executor", { input: ask("'one way'") });
    const history = await client.threads.getHistory<State>(id, { limit: 50 });
    const before = history.find(({ next }) => next.includes("validate"));
    const asked = before?.values.messages.at(-1);
    const [other] = ask("'another way'").messages.slice(1);
    const fork = await client.threads.updateState(id, {
      values: { messages: [{ ...other, id: asked?.id }] },
      checkpointId: before?.checkpoint.checkpoint_id ?? "",
    });
    const state = await client.runs.wait(id, "executor", {
      input: null,
      checkpointId: (fork as unknown as { checkpoint: { checkpoint_id: string } }).checkpoint.checkpoint_id,
    });
    expect(read(state)).toMatchObject([{ status: "ok", result: "another way" }]);
  });

  it("keeps two threads apart that run at once", async () => {
    const [a, b] = await Promise.all([thread(), thread()]);
    const turns = async (id: string, name: string) => {
      for (const turn of [1, 2, 3]) await client.runs.wait(id, "executor", { input: ask(`'${name}${turn}'`) });
      return read((await client.threads.getState(id)).values).map(({ result }) => result);
    };
    expect(await Promise.all([turns(a, "a"), turns(b, "b")])).toEqual([
      ["a1", "a2", "a3"],
      ["b1", "b2", "b3"],
    ]);
  });

  it("gets 50 answers to 50 stateless runs at once", async () => {
    const runs = Array.from({ length: 50 }, (_, index) =>
      client.runs.wait(null, "executor", { input: ask(`${index}`) }),
    );
    const results = (await Promise.all(runs)).map((state) => read(state)[0]?.result);
    expect(results).toEqual(Array.from({ length: 50 }, (_, index) => index));
  }, 120_000);

  it("reached nobody beyond the loopback, and a SIGTERM leaves no process within two seconds", async () => {
    expect(studio.tree().length).toBeGreaterThan(3);
    expect(await studio.stop()).toEqual([]);
    expect(studio.strangers()).toEqual([]);
  });
});
