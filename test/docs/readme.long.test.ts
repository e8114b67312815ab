/**
 * The README cannot rot: its generated parts equal what the code says now, and every TypeScript block in it runs.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPolicy } from "../../src/policy/evaluate.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Sandbox } from "../../src/types.ts";
import { callTool, type OpenAiServer, startOpenAiServer, TEST_API_KEY, TEST_MODEL } from "../fixtures/openai-server.ts";
import { readFacts } from "../policy/facts.ts";
import { fillSections, makeSections } from "./sections.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readme = readFileSync(`${root}README.md`, "utf8");
const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
const PROGRAM = 'return "541";';

const scratch = mkdtempSync(join(tmpdir(), "sallyport-readme-"));
let sandbox: Sandbox;
let server: OpenAiServer;

beforeAll(async () => {
  sandbox = await createSandbox({ workers: 1, standby: 0 });
  server = await startOpenAiServer({
    script: ({ messages }) =>
      messages.at(-1)?.role === "user" ? { calls: [callTool("call_1", PROGRAM)] } : { text: "The 100th prime is 541." },
  });
});

afterAll(async () => {
  await sandbox?.close();
  await server?.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** Runs a block as a newcomer would, with the package's name standing for this source, and its file in a scratch folder. */
async function runBlock(code: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-"], {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? "",
      OPENAI_API_KEY: TEST_API_KEY,
      OPENAI_BASE_URL: server.baseURL,
      SALLYPORT_MODEL: TEST_MODEL,
      NODE_NO_WARNINGS: "1",
    },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const entries = {
    '"sallyport"': "index.ts",
    '"sallyport/sandbox"': "sandbox/index.ts",
    '"sallyport/middleware"': "graph/middleware.ts",
  };
  const named = Object.entries(entries).reduce((text, [name, file]) => {
    return text.replace(name, JSON.stringify(new URL(`../../src/${file}`, import.meta.url).href));
  }, code);
  child.stdin.end(named.replace('"receipts.jsonl"', JSON.stringify(join(scratch, "receipts.jsonl"))));
  const exit = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code: exit, stdout, stderr };
}

describe("the README", () => {
  it("holds what the code says of graph, limits, faults and presets", () => {
    expect(fillSections(readme, makeSections(sandbox))).toBe(readme);
  });

  const shown: [title: string, output: RegExp][] = [
    ["the agent in five lines", /^answer The 100th prime is 541\.\n$/],
    ["the subgraph", /^\{"ok":true,"status":"ok","result":2,"stdout":\[\]\}\n$/],
    ["a node with another state", /^\{"ok":true,"status":"ok","result":6,"stdout":\[\]\}\n$/],
    ["the middleware", /^The 100th prime is 541\.\n$/],
    ["the tools", /^(\{"ok":true,"status":"ok","result":2,"stdout":\[\]\}\n){2}$/],
    ["an approval", /__interrupt__[^]*"result":42,"stdout":\[\]\}\n\{"ok":false,"status":"denied".*"ApprovalRejected"/],
    ["a model server of one's own", /^validated [^]*\ndecided [^]*\nstarted [^]*\nfinished /],
    ["the sandbox alone", /^\[ '2 rows' \] \{/],
    ["a test of one's own", /rows are counted[\s\S]*pass 1\b|# pass 1\b/],
    ["Python", /^3 \[ '3' \]\n$/],
    ["a policy of one's own", /"status":"denied".*At most 20 characters/],
    ["receipts", /^1 line\n$/],
    ["what is required", /^(container|bubblewrap|process) A V8 exploit would find itself .* \d+\n$/],
  ];

  it("shows a policy file that is one, and decides as it says", () => {
    const files = [...readme.matchAll(/```json\n(\{\n {2}"\$schema"[\s\S]*?)```/g)].map(([, text = ""]) => text);
    expect(files).toHaveLength(1);
    const policy = createPolicy(JSON.parse(files[0] ?? ""));
    expect(policy.evaluate(readFacts("return 1")).effect).toBe("allow");
    expect(policy.evaluate(readFacts("require('fs')")).reasons[0]?.rule).toBe("imports");
    expect(policy.evaluate(readFacts(`// ${"x".repeat(200)}`)).reasons[0]?.rule).toBe("length");
  });

  it("uses no syntax in its examples that Node 22 lacks", () => {
    for (const block of blocks) expect(block).not.toContain("await using");
  });

  it("has no TypeScript block without a test", () => {
    expect(blocks).toHaveLength(shown.length);
  });

  it.each(shown.map(([title, output], index) => ({ title, output, code: blocks[index] ?? "" })))(
    "runs as printed: $title",
    async ({ code, output }) => {
      const ran = await runBlock(code);
      expect(ran.stderr).toBe("");
      expect(ran.stdout).toMatch(output);
      expect(ran.code).toBe(0);
    },
  );
});
