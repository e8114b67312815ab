/**
 * Attacks by output: floods of lines, giant lines, giant results and giant errors. What leaves the isolate is capped there,
 * and a flood does not keep the deadline from being met.
 */

import { describe, expect, it } from "vitest";
import { LIMITS, MAX_STDOUT_LINES } from "../../src/limits.ts";
import { describeAttacks, SLACK_MS, useAttackedSandbox } from "./attack.ts";

const inUse = useAttackedSandbox();
describeAttacks("output", inUse);

describe("a flood", () => {
  it("is said to have been cut, and its first lines are kept in order", async () => {
    const observation = await inUse.run("for (let n = 0; ; n++) console.log(n)", { limits: { timeoutMs: 300 } });
    expect(observation).toMatchObject({ status: "timeout", truncated: ["stdout"] });
    expect(observation.stdout).toEqual(Array.from({ length: MAX_STDOUT_LINES }, (_, line) => `${line}`));
  });

  it("at the largest limit of output still meets its deadline", async () => {
    const limits = { timeoutMs: 500, stdoutBytes: LIMITS.stdoutBytes.max };
    const observation = await inUse.run("for (;;) console.log('\\u0001'.repeat(4000))", { limits });
    expect(observation).toMatchObject({ status: "timeout" });
    expect(observation.usage.wallMs).toBeLessThanOrEqual(500 + SLACK_MS);
  });

  it("to a listener that stops the run in the middle is stopped", async () => {
    const controller = new AbortController();
    let lines = 0;
    const observation = await inUse.run("for (;;) console.log('x')", {
      signal: controller.signal,
      onStdout: () => {
        if (++lines === 10) controller.abort();
      },
      limits: { timeoutMs: 30_000 },
    });
    expect(observation).toMatchObject({ status: "cancelled" });
    expect(observation.stdout.length).toBeGreaterThanOrEqual(10);
  });
});

describe("an error", () => {
  it.each([
    ["of emoji", "throw new Error('😀'.repeat(5000))"],
    ["of lone surrogates", "throw new Error('\\ud83d'.repeat(5000))"],
    ["of control characters", "throw new Error('\\u0000\\u001b[31m'.repeat(5000))"],
  ])("with a giant message %s is cut, and said to be", async (_, source) => {
    const observation = await inUse.run(source);
    expect(observation).toMatchObject({ status: "error", truncated: ["message"] });
    expect(observation.message?.length).toBeLessThanOrEqual(200);
    expect(observation.message?.length).toBeGreaterThanOrEqual(199);
  });
});
