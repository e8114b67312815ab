/**
 * How an answer to a hostile program is judged, whatever it attacks: one true observation in time, nothing of the host in it,
 * and a harmless run right after it that is right.
 */

import { beforeAll, describe, expect, it } from "vitest";
import { LIMITS, MAX_MESSAGE_CHARS, MAX_STDOUT_LINES } from "../../src/limits.ts";
import type { SandboxOptions } from "../../src/options.ts";
import type { Language, Observation } from "../../src/types.ts";
import { HOSTILE_PROGRAMS, type HostileProgram } from "../fixtures/hostile-programs.ts";
import { type SandboxInUse, useSandbox } from "../fixtures/use-sandbox.ts";

/** In the environment of the host, as a secret would be. */
export const CANARY = "canary-5f0c7d21-host-secret";

/** From the limit to the latest end that counts as in time: the grace, and half a second for a machine that is busy. */
export const SLACK_MS = LIMITS.killGraceMs.default + 500;

const HOST_TEXTS = [CANARY, process.cwd(), "node_modules", "file:///", "node:internal", "isolated-vm"];

/** Each ends in the same list. */
const HARMLESS: Readonly<Record<Language, string>> = {
  javascript: "[1, 2, 3].map((n) => n * 2)",
  python: "[n * 2 for n in (1, 2, 3)]",
};

export function expectNothingOfTheHost(observation: Observation): void {
  const text = JSON.stringify(observation);
  for (const hostText of HOST_TEXTS) expect(text).not.toContain(hostText);
}

/** Whether an observation is well-formed and within its limits. */
export function expectWellFormed(observation: Observation, timeoutMs: number): void {
  expect(Object.hasOwn(observation, "result")).toBe(observation.ok);
  expect(Object.hasOwn(observation, "error")).toBe(!observation.ok);
  expect(observation.ok).toBe(observation.status === "ok");
  expect(observation.usage.wallMs).toBeLessThanOrEqual(timeoutMs + SLACK_MS);
  expect(observation.stdout.length).toBeLessThanOrEqual(MAX_STDOUT_LINES);
  expect(Buffer.byteLength(observation.stdout.join(""))).toBeLessThanOrEqual(LIMITS.stdoutBytes.default);
  expect(Buffer.byteLength(JSON.stringify(observation.result ?? null))).toBeLessThanOrEqual(LIMITS.resultBytes.default);
  expect(observation.message?.length ?? 0).toBeLessThanOrEqual(MAX_MESSAGE_CHARS);
}

function timeoutOf({ timeoutMs, status }: HostileProgram): number {
  return timeoutMs ?? (status.includes("timeout") ? 250 : 10_000);
}

/** The sandbox of an attack file, in a host that has something to lose. */
export function useAttackedSandbox(options?: SandboxOptions): SandboxInUse {
  beforeAll(() => {
    process.env.SALLYPORT_TEST_CANARY = CANARY;
  });
  return useSandbox(options);
}

/** One test for each program; call it in a `describe`. */
export function describeProgram(
  programs: readonly HostileProgram[],
  { run }: SandboxInUse,
  language: Language = "javascript",
): void {
  it.each(programs.map((program) => [program.name, program] as const))("%s is answered truly", async (_, program) => {
    const timeoutMs = timeoutOf(program);
    const { source, permits } = program;
    const observation = await run(source, { language, limits: { timeoutMs }, ...(permits && { permits }) });
    expectWellFormed(observation, timeoutMs);
    expectNothingOfTheHost(observation);
    expect(program.status).toContain(observation.status);
    if (Object.hasOwn(program, "result")) expect(observation.result).toEqual(program.result);
    const next = await run(HARMLESS[language], { language, limits: { timeoutMs: 10_000 } });
    expect(next).toMatchObject({ ok: true, result: [2, 4, 6], stdout: [] });
  });
}

/** Runs every program that goes for `target`. */
export function describeAttacks(target: keyof typeof HOSTILE_PROGRAMS, inUse: SandboxInUse): void {
  describe("a program that", () => {
    describeProgram(HOSTILE_PROGRAMS[target], inUse);
  });
}
