/**
 * Every wrong option is a fault of the caller that names the option, what was expected and what was given,
 * before any process is started.
 */

import { afterEach, describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, LIMITS } from "../../src/limits.ts";
import { resolveSandboxOptions, type SandboxOptions } from "../../src/options.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { listTree } from "../studio/process-tree.ts";

type Row = [what: string, options: unknown, names: string, expected: RegExp, given: string];

const WRONG: Row[] = [
  ["a number", 5, "options", /object/, "5"],
  ["a text", "process", "options", /object/, '"process"'],
  ["an array", [], "options", /object/, "an array of 0"],
  ["an unknown option", { wokers: 2 }, "wokers", /unknown option/, "wokers"],
  ["a containment that is not there", { containment: "docker" }, "containment", /auto.*process/, '"docker"'],
  ["no workers", { workers: 0 }, "workers", /at least 1/, "0"],
  ["half a worker", { workers: 1.5 }, "workers", /a whole number/, "1.5"],
  ["workers as text", { workers: "2" }, "workers", /number/, '"2"'],
  ["workers that are no number", { workers: Number.NaN }, "workers", /number/, "NaN"],
  ["a standby below zero", { standby: -1 }, "standby", /at least 0/, "-1"],
  ["too large a standby", { standby: 17 }, "standby", /at most 16/, "17"],
  ["no runs for a worker", { runsPerWorker: 0 }, "runsPerWorker", /at least 1/, "0"],
  ["no time to start", { startTimeoutMs: 1 }, "startTimeoutMs", /at least 100/, "1"],
  ["a node that is no path", { workerNode: 24 }, "workerNode", /string/, "24"],
  ["an empty path", { workerNode: "" }, "workerNode", /not empty/, '""'],
  ["an environment that is a list", { workerEnv: [] }, "workerEnv", /record/, "an array of 0"],
  ["a variable that is no text", { workerEnv: { LEVEL: 5 } }, "workerEnv.LEVEL", /string/, "5"],
  ["limits that are none", { limits: null }, "limits", /object/, "null"],
  ["an unknown limit", { limits: { timeout: 5 } }, "timeout", /unknown option/, "limits.timeout"],
  ["a limit by another's name", { limits: { toString: 5 } }, "toString", /unknown option/, "limits.toString"],
];

/** One below the least and one above the most of every limit. */
const BEYOND: Row[] = Object.entries(LIMITS).flatMap(([name, { min, max }]): Row[] => [
  [
    `too small a ${name}`,
    { limits: { [name]: min - 1 } },
    `limits.${name}`,
    new RegExp(`at least ${min}`),
    `${min - 1}`,
  ],
  [
    `too large a ${name}`,
    { limits: { [name]: max + 1 } },
    `limits.${name}`,
    new RegExp(`at most ${max}`),
    `${max + 1}`,
  ],
]);

describe("a wrong option", () => {
  afterEach(() => {
    expect(listTree(process.pid).map(({ pid }) => pid)).toEqual([process.pid]);
  });

  it.each([...WRONG, ...BEYOND])("that is %s is named", async (_, options, names, expected, given) => {
    const fault = await createSandbox(options as SandboxOptions).then(
      () => null,
      (error: unknown) => error,
    );
    expect(fault).toMatchObject({ name: "SandboxError", code: "INVALID_OPTIONS" });
    const { message } = fault as Error;
    expect(message).toContain(names);
    expect(message).toMatch(expected);
    expect(message).toContain(given);
  });

  it("is named beside every other wrong one", () => {
    const options = { workers: 0, limits: { timeoutMs: 0, memoryMb: "much" } } as unknown as SandboxOptions;
    expect(() => resolveSandboxOptions(options)).toThrow(/workers.*limits\.timeoutMs.*limits\.memoryMb/);
  });

  it.each(["API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "MY_SECRET", "authorization", "SESSION_COOKIE", "PrivateName"])(
    "in the workers' environment that looks like a secret is refused without being told: %s",
    (name) => {
      const resolve = () => resolveSandboxOptions({ workerEnv: { [name]: "hunter2" } });
      expect(resolve).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS" }));
      expect(resolve).toThrow(new RegExp(`workerEnv\\.${name}: expected a name that does not look like a secret`));
      expect(resolve).not.toThrow(/hunter2/);
    },
  );

  it.each(["TZ", "LC_ALL", "NODE_OPTIONS", "LD_PRELOAD", "GLIBC_TUNABLES", "MALLOC_ARENA_MAX"])(
    "in the workers' environment that would switch a defence off is refused: %s",
    (name) => {
      expect(() => resolveSandboxOptions({ workerEnv: { [name]: "x" } })).toThrow(/workerEnv/);
    },
  );
});

describe("options that are left out", () => {
  it.each([undefined, {}, { workers: undefined, limits: {} } as unknown as SandboxOptions])(
    "have their defaults: %j",
    (options) => {
      const resolved = resolveSandboxOptions(options);
      expect(resolved).toMatchObject({
        containment: "auto",
        allowProcess: false,
        require: [],
        standby: 1,
        runsPerWorker: 5000,
        workerNode: null,
      });
      expect(resolved.workers).toBeGreaterThanOrEqual(1);
      expect(resolved.limits).toEqual(DEFAULT_LIMITS);
    },
  );

  it("are complete and frozen once resolved", () => {
    const resolved = resolveSandboxOptions({ limits: { timeoutMs: 5 }, workerEnv: { LEVEL: "1" } });
    expect(resolved.limits.timeoutMs).toBe(5);
    for (const part of [resolved, resolved.limits, resolved.workerEnv]) expect(Object.isFrozen(part)).toBe(true);
  });

  it("are not taken from an object that is changed later", () => {
    const limits = { timeoutMs: 5 };
    const resolved = resolveSandboxOptions({ limits });
    limits.timeoutMs = 60_000;
    expect(resolved.limits.timeoutMs).toBe(5);
  });
});
