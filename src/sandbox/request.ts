/**
 * A caller's request, checked and completed: limits, seed, clock and input are fixed here, once a call.
 * Wrong types are the caller's fault and thrown; a program that is too long is an observation.
 */

import { randomInt, randomUUID } from "node:crypto";
import { SandboxError } from "../errors.ts";
import { A_LANGUAGE } from "../languages.ts";
import { LIMITS, type LimitName, MAX_STDOUT_LINES } from "../limits.ts";
import { showValue } from "../options-check.ts";
import type { RunMessage } from "../protocol/messages.ts";
import { A_TENANT, isTenant } from "../tenant.ts";
import type { CallLimits, Observation, RunRequest } from "../types.ts";
import { encodeInput } from "./input.ts";
import { failure } from "./observation.ts";

const MAX_SEED = 2 ** 48 - 1;
/** The range of a Date. */
const MAX_TIME = 8.64e15;
const KEYS = new Set([
  ...["language", "source", "input", "limits", "seed", "now", "signal", "permits", "onStdout", "tenant"],
]);

export interface PreparedRun {
  message: RunMessage;
  limits: CallLimits;
}

function wrong(option: string, expected: string, given: unknown): never {
  throw new SandboxError("INVALID_OPTIONS", `run: ${option}: expected ${expected}, got ${showValue(given)}`);
}

/** The limits of one call: the sandbox's own, where the request does not set another within the table. */
export function resolveCallLimits(
  defaults: Readonly<Record<LimitName, number>>,
  asked: Partial<CallLimits> | undefined,
): CallLimits {
  if (asked !== undefined && (typeof asked !== "object" || asked === null)) wrong("limits", "an object", asked);
  const limits: Record<string, number> = {};
  for (const [name, row] of Object.entries(LIMITS)) {
    if (row.scope === "call") limits[name] = defaults[name as LimitName];
  }
  for (const [name, value] of Object.entries(asked ?? {}) as [string, unknown][]) {
    if (value === undefined) continue;
    const row = Object.hasOwn(limits, name) ? LIMITS[name as LimitName] : undefined;
    if (!row) wrong(`limits.${name}`, `one of ${Object.keys(limits).join(", ")}`, name);
    if (!Number.isInteger(value) || (value as number) < row.min || (value as number) > row.max) {
      wrong(`limits.${name}`, `a whole number from ${row.min} to ${row.max} (${row.unit})`, value);
    }
    limits[name] = value as number;
  }
  return limits as unknown as CallLimits;
}

function checkNames(option: string, names: unknown): void {
  if (names === undefined) return;
  if (!Array.isArray(names)) wrong(option, "a list of names", names);
  if (names.length > 1000) wrong(option, "at most 1,000 names", names);
  const odd = names.findIndex((name) => typeof name !== "string" || name.length > 300);
  if (odd >= 0) wrong(option, "a list of names", names[odd]);
}

function checkHandles({ permits, signal, onStdout, tenant }: RunRequest): void {
  if (tenant !== undefined && !isTenant(tenant)) wrong("tenant", A_TENANT, tenant);
  if (permits !== undefined) {
    if (typeof permits !== "object" || permits === null) wrong("permits", "an object", permits);
    if (typeof permits.dynamicCode !== "boolean") wrong("permits.dynamicCode", "true or false", permits.dynamicCode);
    checkNames("permits.globals", permits.globals);
    checkNames("permits.modules", permits.modules);
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) wrong("signal", "an AbortSignal", signal);
  if (onStdout !== undefined && typeof onStdout !== "function") wrong("onStdout", "a function", onStdout);
}

/** @throws SandboxError INVALID_OPTIONS */
export function prepareRun(
  request: RunRequest,
  defaults: Readonly<Record<LimitName, number>>,
): PreparedRun | { refused: Observation } {
  if (typeof request !== "object" || request === null) wrong("request", "an object", request);
  const unknown = Object.keys(request).find((key) => !KEYS.has(key));
  if (unknown !== undefined) {
    throw new SandboxError("INVALID_OPTIONS", `run: unknown option ${unknown}; there are ${[...KEYS].join(", ")}`);
  }
  const { language, source, seed, now, permits } = request;
  if (language !== "javascript" && language !== "python") wrong("language", A_LANGUAGE, language);
  if (typeof source !== "string") wrong("source", "a string", source);
  if (seed !== undefined && !(Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED)) {
    wrong("seed", `a whole number from 0 to ${MAX_SEED}`, seed);
  }
  if (now !== undefined && !(Number.isFinite(now) && Math.abs(now) <= MAX_TIME)) wrong("now", "a time in ms", now);
  checkHandles(request);
  const limits = resolveCallLimits(defaults, request.limits);
  const input = encodeInput(request.input);
  if (source.length > limits.sourceChars) {
    const message = `The program has ${source.length} characters; at most ${limits.sourceChars} are allowed.`;
    return { refused: failure({ status: "rejected", message }) };
  }
  if (input !== null && Buffer.byteLength(input) > limits.inputBytes) {
    const message = `The input has more than ${limits.inputBytes} bytes of JSON.`;
    return { refused: failure({ status: "rejected", message }) };
  }
  return {
    limits,
    message: {
      type: "run",
      // These two draw from the system many at a time: alone, a draw costs more than the frame that carries it.
      id: randomUUID(),
      language,
      source,
      input,
      timeoutMs: limits.timeoutMs,
      memoryMb: limits.memoryMb,
      stdoutBytes: limits.stdoutBytes,
      stdoutLines: MAX_STDOUT_LINES,
      resultBytes: limits.resultBytes,
      timerTurns: limits.timerTurns,
      now: Math.trunc(now ?? Date.now()),
      seed: seed ?? randomInt(MAX_SEED),
      dynamicCode: permits?.dynamicCode ?? true,
      globals: permits?.globals ? [...permits.globals] : null,
      modules: permits?.modules ? [...permits.modules] : null,
    },
  };
}
