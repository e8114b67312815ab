/**
 * A program that is to be read, where the inspector ends, is busy or is closed: it is read by another one, or it is told that
 * nobody read it. Never is it said of a program what nobody found in it.
 */

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Manifest, Sandbox } from "../../src/types.ts";
import { listChildren } from "../bench/processes.ts";
import { PATIENT } from "../fixtures/use-sandbox.ts";
import { ai, call } from "../graph/rig.ts";

const canFind = process.platform === "linux";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox({
    ...PATIENT,
    workers: 1,
    standby: 0,
    containment: "process",
    limits: { maxQueue: 2 },
  });
});
afterEach(() => sandbox.close());

const inspect = (source: string, signal?: AbortSignal): Promise<Manifest> =>
  sandbox.inspect({ language: "javascript", source, ...(signal && { signal }) });

/** As an operator would who ends what he does not know. */
function killInspectors(): number {
  const isInspector = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes("inspector");
  const found = listChildren().map(Number).filter(isInspector);
  for (const pid of found) process.kill(pid, "SIGKILL");
  return found.length;
}

const PARSED = { complete: true, globals: ["Math"], dynamicCode: [] };

describe.skipIf(!canFind)("an inspector that was ended while it rested", () => {
  it("is another one's to replace: the program is read", async () => {
    await inspect("1");
    expect(killInspectors()).toBe(1);
    expect(await inspect("Math")).toMatchObject(PARSED);
  });

  it("denies nothing", async () => {
    const graph = createCodeExecutionGraph({ sandbox });
    for (const [index, source] of ["1 + 1", "2 + 2", "3 + 3"].entries()) {
      const { messages } = await graph.invoke({ messages: [ai(call(`c${index}`, source))] });
      expect(JSON.parse(messages.at(-1)?.text ?? "")).toMatchObject({ ok: true, result: 2 * (index + 1) });
      expect(killInspectors()).toBe(1);
    }
  });
});

describe("a program that nobody read", () => {
  it("is told as that where the sandbox is closed meanwhile, and the queue is no longer than it may be", async () => {
    await inspect("1");
    const asked = ["1", "2", "3", "4", "5"].map((source) => inspect(source));
    const settled = Promise.allSettled(asked);
    await sandbox.close();
    const [first, ...others] = await settled;
    // The first may have been read before the word to end came.
    if (first?.status === "rejected") expect(first.reason).toMatchObject({ status: "cancelled" });
    const cancelled = { reason: { name: "InspectionError", status: "cancelled" } };
    const refused = { reason: { name: "InspectionError", status: "unavailable" } };
    expect(others).toMatchObject([cancelled, cancelled, refused, refused]);
  });

  it("in a graph ends its call as cancelled, without a word about the program", async () => {
    await inspect("1");
    let closing: Promise<void> | undefined;
    const slow = {
      ...sandbox,
      inspect: (request: Parameters<Sandbox["inspect"]>[0]) => {
        const reading = sandbox.inspect(request);
        closing = sandbox.close();
        return reading;
      },
    };
    const end = await createCodeExecutionGraph({ sandbox: slow }).invoke({ messages: [ai(call("c1", "2 + 2"))] });
    await closing;
    expect(end.outcome?.kind).toBe("cancelled");
    expect(JSON.parse(end.messages.at(-1)?.text ?? "")).toMatchObject({ status: "cancelled" });
    // It may have been read in time, and is then nothing but harmless.
    expect(end.receipts.at(-1)?.decision ?? "allow").toBe("allow");
  });
});

describe("a signal", () => {
  it("that was aborted before keeps the program from being read", async () => {
    await expect(inspect("1", AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });

  it("that is aborted while it waits ends the wait, and the next one is read", async () => {
    const controller = new AbortController();
    const waiting = Promise.allSettled([inspect("1", controller.signal), inspect("2", controller.signal)]);
    controller.abort(new Error("enough"));
    for (const end of await waiting) expect(end).toMatchObject({ reason: { message: "enough" } });
    expect(await inspect("Math")).toMatchObject(PARSED);
  });
});

describe("a program longer than any may be", () => {
  it("is a fault of the caller, and takes no inspector with it", async () => {
    const tooLong = inspect("\n".repeat(1_000_001));
    await expect(tooLong).rejects.toMatchObject({ name: "SandboxError", code: "INVALID_OPTIONS" });
    await expect(tooLong).rejects.toThrow("expected at most 1000000 characters");
    expect(await inspect("Math")).toMatchObject(PARSED);
  });
});
