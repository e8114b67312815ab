/**
 * A question to a model: the real ChatOpenAI against a strict server on the loopback, and what is said without a key.
 * Real process, real graph, no network beyond the machine.
 */

import { describe, expect, it } from "vitest";
import { callTool, type Script, startOpenAiServer, TEST_API_KEY, TEST_MODEL } from "../fixtures/openai-server.ts";
import { runCommand } from "./command.ts";

async function ask(script: Script, question: string, env: Record<string, string> = {}) {
  await using server = await startOpenAiServer({ script });
  const ended = await runCommand([question], {
    env: { OPENAI_API_KEY: TEST_API_KEY, OPENAI_BASE_URL: server.baseURL, SALLYPORT_MODEL: TEST_MODEL, ...env },
  });
  return { ...ended, requests: server.requests, faults: server.faults };
}

describe("a question", () => {
  it("without a key says how, and exits 2", async () => {
    const { code, stdout, stderr } = await runCommand(["What is the 100th prime?"]);
    expect(stderr).toMatch(/OPENAI_API_KEY[\s\S]*OPENAI_BASE_URL[\s\S]*SALLYPORT_MODEL/);
    expect(stderr.split("\n").length).toBeLessThan(12);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("is answered on stdout; the calls are shown on stderr", async () => {
    const script: Script = (_request, turn) =>
      turn === 1 ? { calls: [callTool("c1", "return 6 * 7")] } : { text: "It is 42." };
    const { code, stdout, stderr, faults } = await ask(script, "What is six times seven?");
    expect({ code, stdout, faults }).toEqual({ code: 0, stdout: "It is 42.\n", faults: [] });
    expect(stderr).toContain("return 6 * 7");
    expect(stderr).toContain('"result":42');
  });

  it("shows the name of a call in one line, whatever the model calls", async () => {
    const script: Script = (_request, turn) =>
      turn === 1 ? { calls: [callTool("c1", "1", "none\n\u2713 ok\u001b[2J")] } : { text: "done" };
    const { stderr } = await ask(script, "What is six times seven?");
    expect(stderr).toContain("the model calls none\\u000a\u2713 ok\\u001b[2J\n");
    expect(stderr).not.toMatch(/^\u2713 ok/m);
  });

  it("is one argument: several words without quotes ask nobody", async () => {
    await using server = await startOpenAiServer({ script: () => ({ text: "no" }) });
    const env = { OPENAI_API_KEY: TEST_API_KEY, OPENAI_BASE_URL: server.baseURL, SALLYPORT_MODEL: TEST_MODEL };
    for (const words of [["what", "is", "it?"], ["inspct", "program.ts"], ["inspct"]]) {
      expect(await runCommand(words, { env })).toMatchObject({ code: 2, stdout: "" });
    }
    expect(server.requests).toHaveLength(0);
  });

  it("ends with 1 where the model never gets there", async () => {
    const script: Script = (_request, turn) => ({ calls: [callTool(`c${turn}`, `missing${turn}`)] });
    const { code, stdout, stderr, requests } = await ask(script, "What is it now?");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/no answer.*cap after 3 turns/);
    expect(requests.length).toBe(3);
  });

  it("prints what the model says with nothing that a terminal would act on", async () => {
    const { stdout } = await ask(() => ({ text: "\u001b[2Jhello\u202e" }), "Say hello to me");
    expect(stdout).toBe("\\u001b[2Jhello\\u202e\n");
  });

  it("with a wrong key is one sentence, without the key", async () => {
    const { code, stdout, stderr } = await ask(() => ({ text: "no" }), "Who are you?", {
      OPENAI_API_KEY: "sk-canary-5d5d5d5d",
    });
    expect(stderr).toMatch(/^sallyport: .*model did not answer.*401.*OPENAI_API_KEY/);
    expect(stderr).not.toContain("canary");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("to no server is one sentence", async () => {
    const { code, stderr } = await ask(() => ({ text: "no" }), "Who are you?", {
      OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
    });
    expect(stderr).toMatch(/^sallyport: .*did not answer/);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(2);
  });

  it("to an address that is none is one sentence", async () => {
    const { code, stderr } = await ask(() => ({ text: "no" }), "Who are you?", {
      OPENAI_BASE_URL: "user:pass@nowhere",
    });
    expect(stderr).toMatch(/OPENAI_BASE_URL: expected an address/);
    expect(stderr).not.toContain("pass");
    expect(code).toBe(2);
  });
});
