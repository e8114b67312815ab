/**
 * LangGraph Studio's server, for real: what `npm run studio` starts, asked by the SDK that Studio itself uses.
 * Offline and without a key. Code that hits a limit must cost its own run and nothing else.
 */

import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/limits.ts";
import { listSurvivors, type ProcessMark } from "./process-tree.ts";
import { type StudioServer, startStudio } from "./studio-server.ts";

const TOOL = "run_javascript_sandboxed";

interface Answer {
  status: string;
  result?: unknown;
  stdout: string[];
}
interface Streamed {
  messages: { type: string; content: unknown; tool_call_id?: string }[];
  outcome?: { kind: string };
}

function ask(...sources: string[]) {
  const tool_calls = sources.map((source, index) => ({
    id: `call_${index}`,
    name: TOOL,
    args: { source },
    type: "tool_call",
  }));
  return {
    messages: [
      { type: "human", content: "Compute." },
      { type: "ai", content: "", tool_calls },
    ],
  };
}

function readAnswers(state: Streamed): Answer[] {
  return state.messages
    .filter((message) => message.type === "tool")
    .map((message) => JSON.parse(String(message.content)));
}

describe.skipIf(process.platform !== "linux")("the development server", () => {
  let studio: StudioServer;
  let client: Client;

  beforeAll(async () => {
    const flags = ["--no-reload", "--host", "127.0.0.1"];
    studio = await startStudio(process.execPath, [".ci/studio.mjs"], flags);
    client = new Client({ apiUrl: studio.url, apiKey: null });
  });
  afterAll(() => studio?.stop());

  const run = async (...sources: string[]): Promise<Streamed> =>
    (await client.runs.wait(null, "executor", { input: ask(...sources) })) as unknown as Streamed;

  it("offers the three graphs, each with schemas and a drawing", async () => {
    const assistants = await client.assistants.search();
    expect(assistants.map((assistant) => assistant.graph_id).sort()).toEqual(["agent", "embedded", "executor"]);
    for (const { assistant_id: id, graph_id: graph } of assistants) {
      const schemas = await client.assistants.getSchemas(id);
      expect(Object.keys(schemas.input_schema?.properties ?? {}), `${graph}: input`).toEqual(["messages"]);
      expect(Object.keys(schemas.state_schema?.properties ?? {}), `${graph}: state`).toContain("messages");
      const drawing = await client.assistants.getGraph(id, { xray: true });
      const nodes = drawing.nodes.map((node) => String(node.id));
      const prefix = graph === "embedded" ? "code:" : "";
      const wanted = ["validate", "policy", "execute", "observe"].map((name) => `${prefix}${name}`);
      expect(nodes, graph).toEqual(expect.arrayContaining(wanted));
      expect(nodes.includes("model"), `${graph}: model`).toBe(graph !== "executor");
      const edges = drawing.edges.map((edge) => `${edge.source}>${edge.target}`);
      expect(edges, graph).toContain(`${prefix}execute>${prefix}observe`);
    }
  });

  it.each(["agent", "executor"])("shows what the %s takes as context, with the deployment's values", async (graph) => {
    const [assistant] = await client.assistants.search({ graphId: graph });
    const { context_schema: schema } = await client.assistants.getSchemas(assistant?.assistant_id ?? "");
    const shown = schema?.properties as Record<string, { default?: unknown; description?: string }>;
    expect(Object.keys(shown)).toEqual(["maxTurns", "policy", "endOn", "limits"]);
    expect(shown.maxTurns?.default).toBe(3);
    for (const { description } of Object.values(shown)) expect(description).toMatch(/\w/);
  });

  it("streams a run of the executor, node by node and event by event", async () => {
    const updates: string[] = [];
    const events: string[] = [];
    let last: Streamed | undefined;
    const stream = client.runs.stream(null, "executor", {
      input: ask("console.log('hello'); 6 * 7"),
      streamMode: ["updates", "custom", "values"],
    });
    for await (const part of stream) {
      if (part.event === "updates") updates.push(...Object.keys(part.data as object));
      if (part.event === "custom") events.push((part.data as unknown as { event: string }).event);
      if (part.event === "values") last = part.data as unknown as Streamed;
    }
    expect(updates).toEqual(expect.arrayContaining(["validate", "policy", "execute", "observe"]));
    expect(events).toEqual(expect.arrayContaining(["validated", "decided", "started", "stdout", "finished"]));
    expect(readAnswers(last as Streamed)).toMatchObject([{ status: "ok", result: 42, stdout: ["hello"] }]);
    expect(last?.outcome?.kind).toBe("success");
  });

  it("runs the agent without a key", async () => {
    const input = { messages: [{ type: "human", content: "What is the 100th prime?" }] };
    const state = (await client.runs.wait(null, "agent", { input })) as unknown as Streamed;
    expect(readAnswers(state).length).toBeGreaterThan(0);
    expect(state.messages.at(-1)?.type).toBe("ai");
  });

  it.each([
    ["the time limit", "timeout", "console.log('before'); while (true);"],
    [
      "the time limit inside a native built-in",
      "timeout",
      "console.log('before'); Array.prototype.reverse.call({ length: 2 ** 53 - 1 });",
    ],
    ["the output limit", "output_limit", "console.log('before'); 'x'.repeat(1e6);"],
  ])("answers code that hits %s and goes on working", async (_title, status, source) => {
    expect(readAnswers(await run(source))).toMatchObject([{ status, stdout: ["before"] }]);
    expect(readAnswers(await run("6 * 7"))).toMatchObject([{ status: "ok", result: 42 }]);
  });

  // The deployment's time limit is a second, and a busy machine may take as long to fill the least heap there is.
  it("answers code that hits the memory limit and goes on working", { retry: 4 }, async () => {
    const source = "console.log('before'); const a = []; for (;;) a.push(new Array(1e5).fill(a.length));";
    const context = { limits: { memoryMb: LIMITS.memoryMb.min } };
    const state = await client.runs.wait(null, "executor", { input: ask(source), context });
    expect(readAnswers(state as unknown as Streamed)).toMatchObject([{ status: "memory_limit", stdout: ["before"] }]);
    expect(readAnswers(await run("6 * 7"))).toMatchObject([{ status: "ok", result: 42 }]);
  });

  it("answers each of several calls that hit different limits in one turn", async () => {
    const state = await run("while (true);", "6 * 7", "'x'.repeat(1e6)");
    expect(readAnswers(state).map((answer) => answer.status)).toEqual(["timeout", "ok", "output_limit"]);
  });

  it("tells nobody beyond the loopback", () => {
    expect(studio.strangers()).toEqual([]);
  });

  it("leaves no process behind after SIGTERM, workers included", async () => {
    await run("1");
    const before = studio.tree();
    expect(before.length).toBeGreaterThan(3);
    expect(await studio.stop()).toEqual([]);
    expect(listSurvivors(before)).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("npm run studio", () => {
  it("passes flags through, reloads by default, and a SIGTERM to npm leaves no process", async () => {
    const studio = await startStudio("npm", ["run", "studio", "--"]);
    const before = studio.tree();
    expect(before.length).toBeGreaterThan(5);
    expect(studio.log()).toContain(`Server running at ${new URL(studio.url).host}`);
    expect(await studio.stop()).toEqual([]);
    expect(listSurvivors(before)).toEqual([]);
    expect(studio.strangers()).toEqual([]);
  }, 60_000);
});

describe.skipIf(process.platform !== "linux")("a server that reloads", () => {
  /** The project in a folder of its own, so that a file of it may be changed. */
  function copyProject(): string {
    const project = mkdtempSync(join(tmpdir(), "sallyport-reload-"));
    const root = resolve(import.meta.dirname, "../..");
    for (const part of ["src", "graphs", ".ci", "package.json", "langgraph.json", "tsconfig.json"])
      cpSync(join(root, part), join(project, part), { recursive: true });
    const modules = readdirSync(join(root, "node_modules")).flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(root, "node_modules", name)).map((inner) => `${name}/${inner}`) : [name],
    );
    for (const name of modules) {
      mkdirSync(dirname(join(project, "node_modules", name)), { recursive: true });
      symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name));
    }
    return project;
  }

  const isWorker = ({ pid }: ProcessMark): boolean => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("/worker/main.");
    } catch {
      return false;
    }
  };

  it("leaves no worker of the code before behind", async () => {
    const project = copyProject();
    const studio = await startStudio(process.execPath, [".ci/studio.mjs"], ["--host", "127.0.0.1"], project);
    try {
      const client = new Client({ apiUrl: studio.url, apiKey: null });
      const run = async (): Promise<string[]> =>
        readAnswers((await client.runs.wait(null, "executor", { input: ask("1") })) as unknown as Streamed).map(
          ({ status }) => status,
        );
      expect(await run()).toEqual(["ok"]);
      const before = studio.tree().filter(isWorker);
      expect(before.length).toBeGreaterThan(0);
      appendFileSync(join(project, "graphs/executor.ts"), "// changed\n");
      await expect.poll(() => listSurvivors(before), { timeout: 20_000 }).toEqual([]);
      await expect.poll(() => run().catch(() => []), { timeout: 20_000 }).toEqual(["ok"]);
      expect(studio.tree().filter(isWorker).length).toBeLessThanOrEqual(before.length + 1);
    } finally {
      expect(await studio.stop()).toEqual([]);
      rmSync(project, { recursive: true, force: true });
    }
  }, 90_000);
});

describe("the fence of these tests", () => {
  it("notices and refuses a connection that is not to the loopback", () => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-fence-"));
    const log = join(folder, "log");
    const preload = pathToFileURL(join(import.meta.dirname, "loopback-only.mjs")).href;
    const program = "fetch('http://192.0.2.1/').then(() => process.exit(1), () => process.exit(7))";
    const env = { ...process.env, LOOPBACK_ONLY_LOG: log };
    expect(spawnSync(process.execPath, ["--import", preload, "-e", program], { env }).status).toBe(7);
    expect(readFileSync(log, "utf8")).toContain("192.0.2.1");
    rmSync(folder, { recursive: true });
  });
});
