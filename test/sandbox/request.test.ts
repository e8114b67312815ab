/**
 * A caller's request: wrong types are thrown as the caller's fault and cost no worker; what is merely too large is answered.
 */

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/limits.ts";
import type { JsonValue, RunRequest } from "../../src/types.ts";
import { useSandbox } from "../fixtures/use-sandbox.ts";
import { listTree } from "../studio/process-tree.ts";

const inUse = useSandbox({ workers: 1 });
const { run } = inUse;

type Row = [option: string, request: Record<string, unknown>, given: string];

const circular: Record<string, unknown> = {};
circular.self = circular;
const nested = Array.from({ length: 20 }).reduce<unknown>(
  (inner) => ({ a: inner }),
  () => 1,
);

describe("a request with", () => {
  it.each<Row>([
    ["language", { language: "ruby" }, '"ruby"'],
    ["language", { language: "typescript" }, '(TypeScript is taken as javascript), got "typescript"'],
    ["language", { language: undefined }, "undefined"],
    ["language", { language: "JavaScript" }, '"JavaScript"'],
    ["source", { source: 5 }, "5"],
    ["source", { source: undefined }, "undefined"],
    ["source", { source: ["1"] }, "an array of 1"],
    ["seed", { seed: -1 }, "-1"],
    ["seed", { seed: 1.5 }, "1.5"],
    ["seed", { seed: "1" }, '"1"'],
    ["seed", { seed: Number.NaN }, "NaN"],
    ["seed", { seed: 2 ** 48 }, String(2 ** 48)],
    ["now", { now: Number.NaN }, "NaN"],
    ["now", { now: 8.64e15 + 1 }, "8640000000000001"],
    ["now", { now: new Date(0) }, "an object"],
    ["now", { now: "2020-01-01" }, '"2020-01-01"'],
    ["input", { input: () => 1 }, "a function"],
    ["input", { input: Symbol("s") }, "Symbol(s)"],
    ["input", { input: 1n }, ""],
    ["input", { input: circular }, ""],
    ["input", { input: new Map([["a", 1]]) }, "a Map"],
    ["input", { input: Number.NaN }, "NaN"],
    ['input, at "rows"', { input: { rows: new Set([1]) } }, "a Set"],
    ['input, at "a"."1"', { input: { b: [{}], a: [1, Number.NaN] } }, "NaN"],
    ['input, at "0"."x"."y"', { input: [{ w: 1, x: { v: [], y: 1n } }] }, "a bigint"],
    [`input, at …${'."a"'.repeat(8)}`, { input: nested }, "a function"],
    ['input, at "0"', { input: [Number.POSITIVE_INFINITY] }, "Infinity"],
    ['input, at "f"', { input: { f: () => 1 } }, "a function"],
    ['input, at "bytes"', { input: { bytes: new Uint8Array(2) } }, "a typed array"],
    ["limits.timeout", { limits: { timeout: 5 } }, '"timeout"'],
    ["limits.maxTurns", { limits: { maxTurns: 5 } }, '"maxTurns"'],
    ["limits.__proto__", { limits: JSON.parse('{"__proto__":5}') as object }, '"__proto__"'],
    ["limits.memoryMb", { limits: { memoryMb: "64" } }, '"64"'],
    ["limits.timeoutMs", { limits: { timeoutMs: Number.POSITIVE_INFINITY } }, "Infinity"],
    ["limits.timeoutMs", { limits: { timeoutMs: 1.5 } }, "1.5"],
    ["limits.timeoutMs", { limits: { timeoutMs: null } }, "null"],
    ["limits", { limits: 5 }, "5"],
    ["permits", { permits: 5 }, "5"],
    ["permits.dynamicCode", { permits: { dynamicCode: "no" } }, '"no"'],
    ["permits.globals", { permits: { dynamicCode: true, globals: "Math" } }, '"Math"'],
    ["permits.globals", { permits: { dynamicCode: true, globals: [1] } }, "1"],
    ["signal", { signal: {} }, "an object"],
    ["onStdout", { onStdout: 5, source: "console.log(1)" }, "5"],
  ])("a wrong %s is a fault that says so: %o", async (option, request, given) => {
    const asked = { language: "javascript", source: "1", ...request } as unknown as RunRequest;
    const fault = await inUse.sandbox.run(asked).then(
      (observation) => observation,
      (error: unknown) => error,
    );
    expect(fault).toMatchObject({ name: "SandboxError", code: "INVALID_OPTIONS" });
    const { message } = fault as Error;
    expect(message).toContain(`${option}: expected`);
    expect(message).toContain(given);
  });

  it("an option that is none is a fault that names it", async () => {
    const asked = { language: "javascript", source: "1", timeoutMs: 5 } as RunRequest;
    await expect(inUse.sandbox.run(asked)).rejects.toThrow(/unknown option timeoutMs/);
  });

  it.each(
    Object.entries(LIMITS).flatMap(([name, { min, max, scope }]) =>
      scope === "call" ? [min - 1, max + 1].map((value) => [name, value] as const) : [],
    ),
  )("a %s of %i is a fault that tells the bounds", async (name, value) => {
    await expect(run("1", { limits: { [name]: value } })).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
      message: expect.stringMatching(
        new RegExp(`limits\\.${name}: expected .* from \\d+ to \\d+ \\(.*\\), got ${value}`),
      ),
    });
  });

  it("an input with dates and left out properties is what JSON makes of it", async () => {
    const input = { at: new Date(0), none: undefined, rows: [null, { a: "b" }] } as unknown as JsonValue;
    expect(await run("input", { input })).toMatchObject({
      result: { at: "1970-01-01T00:00:00.000Z", rows: [null, { a: "b" }] },
    });
  });

  it("options beside it is a fault that names them; what map passes along is none", async () => {
    const request: RunRequest = { language: "javascript", source: "1" };
    const call = (name: "run" | "execute" | "inspect") =>
      (inUse.sandbox[name] as (...given: unknown[]) => Promise<unknown>)(request, { signal: AbortSignal.abort() });
    for (const name of ["run", "execute", "inspect"] as const) {
      await expect(call(name)).rejects.toMatchObject({
        code: "INVALID_OPTIONS",
        message: expect.stringMatching(new RegExp(`^${name}: .*one argument.*signal`)),
      });
    }
    const observations = await Promise.all([request, request].map(inUse.sandbox.run));
    expect(observations.map(({ ok }) => ok)).toEqual([true, true]);
  });

  it("no request at all is a fault", async () => {
    for (const request of [undefined, null, 5]) {
      await expect(inUse.sandbox.run(request as unknown as RunRequest)).rejects.toMatchObject({
        code: "INVALID_OPTIONS",
      });
    }
  });

  it("limits that are undefined has the sandbox's own", async () => {
    const limits = { timeoutMs: undefined } as unknown as NonNullable<RunRequest["limits"]>;
    expect(await run("1", { limits })).toMatchObject({ ok: true, result: 1 });
  });

  it("an object that is changed while the program waits runs as it was asked", async () => {
    const input = { n: 1 };
    const limits = { resultBytes: 100 };
    const running = [run("for (let n = 0; n < 1e7; n++); 1"), run("input.n", { input, limits })];
    input.n = 2;
    limits.resultBytes = 0;
    expect((await Promise.all(running)).map(({ result }) => result)).toEqual([1, 1]);
  });

  it("a fault costs no worker", async () => {
    const before = listTree(process.pid).map(({ pid }) => pid);
    for (const request of [{ source: 5 }, { limits: { timeoutMs: 0 } }, { input: 1n }]) {
      const asked = { language: "javascript", source: "1", ...request } as unknown as RunRequest;
      await expect(inUse.sandbox.run(asked)).rejects.toThrow();
    }
    // Others may still be on their way up.
    expect(listTree(process.pid).map(({ pid }) => pid)).toEqual(expect.arrayContaining(before));
  });
});

describe("what a sandbox says of itself", () => {
  it("names layers, languages and limits", async () => {
    const { sandbox } = inUse;
    expect(sandbox.languages).toEqual(["javascript", "python"]);
    expect(sandbox.layers).toEqual(expect.arrayContaining(["isolate", "process", "deadline"]));
    const report = await sandbox.report();
    expect(sandbox.layers.includes("containment")).toBe(report.containment !== "process");
    expect(report.languages).toEqual(["javascript", "python"]);
    expect(Number(report.workerNode.split(".")[0])).toBeGreaterThanOrEqual(24);
    expect(report.layers.filter(({ active }) => active).map(({ name }) => name)).toEqual(sandbox.layers);
  });

  it("with what it executed tells the hash of the text that the engine was given", async () => {
    const { observation, engineSha256 } = await inUse.sandbox.execute({ language: "javascript", source: "1" });
    expect(observation).toMatchObject({ ok: true, result: 1 });
    expect(engineSha256).toBe("6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b");
    const refused = await inUse.sandbox.execute({
      language: "javascript",
      source: "1",
      limits: { sourceChars: 1 },
      input: "x".repeat(300_000),
    });
    expect(refused.engineSha256).toBe(null);
  });
});
