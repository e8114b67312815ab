/**
 * Checks options against a schema, and says what is wrong with them: which one, what was expected, what was given.
 * Knows no option of its own, and shows no value that may be a secret.
 */

import type { z } from "zod";
import { SandboxError } from "./errors.ts";

/** A value as a person would point at it in an error: short, quoted, never a whole object. */
export function showValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === "function") return "a function";
  if (value === null || typeof value !== "object") return String(value);
  return Array.isArray(value) ? `an array of ${value.length}` : "an object";
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current: unknown = value;
  for (const key of path) {
    if (current === null || typeof current !== "object") return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}

/** Options whose value is told to nobody, not even where it is wrong. */
const SECRET_OPTIONS = new Set(["approvalKey"]);

/** What an option should have been, as a person would say it. */
function describeExpected(issue: z.core.$ZodIssue): string {
  if (issue.code === "too_small")
    return issue.origin === "string" ? "a text that is not empty" : `at least ${issue.minimum}`;
  if (issue.code === "too_big") return `at most ${issue.maximum}`;
  if (issue.code === "invalid_value") return `one of ${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_type")
    return issue.expected === "int" ? "a whole number" : `a value of type ${issue.expected}`;
  // JSON is the one union without words of its own.
  if (issue.code === "invalid_union" && issue.message === "Invalid input") return "a value that JSON can hold";
  return issue.message;
}

/**
 * Checks `value` and fills in the defaults.
 * @throws SandboxError INVALID_OPTIONS that names each wrong option, what was expected and what was given.
 */
export function parseOptions<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => `unknown option ${[...issue.path, key].join(".")}`).join("; ");
    }
    const path = issue.path.map(String).join(".") || "options";
    // A key that is wrong is told by its name: what stands under it may be a secret.
    if (issue.code === "invalid_key") return `${path}: expected ${issue.issues[0]?.message ?? "another name"}`;
    const given = valueAt(value, issue.path);
    const shown = SECRET_OPTIONS.has(path) ? `a ${typeof given} that is not shown` : showValue(given);
    return `${path}: expected ${describeExpected(issue)}, got ${shown}`;
  });
  throw new SandboxError("INVALID_OPTIONS", `${what}: ${problems.join("; ")}`, { cause: parsed.error });
}
