/**
 * Says what is wrong with a document: where, as a path in the JSON, what was expected, and what stands there.
 * Shows short values only, never a whole document.
 */

import { z } from "zod";

type Path = readonly PropertyKey[];

function showPath(path: Path): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}

function showGiven(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (value === null || typeof value !== "object") return String(value);
  return Array.isArray(value) ? `an array of ${value.length}` : "an object";
}

function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}

/** The keys that the schema knows at `path`. */
function keysAt(schema: z.core.$ZodType, path: Path): string[] {
  let current: z.core.$ZodType = schema;
  for (const key of path) {
    while (current instanceof z.ZodOptional) current = current.unwrap();
    if (current instanceof z.ZodArray) current = current.element;
    else if (current instanceof z.ZodObject) current = current.shape[String(key)] ?? current;
  }
  while (current instanceof z.ZodOptional) current = current.unwrap();
  return current instanceof z.ZodObject ? Object.keys(current.shape) : [];
}

function listChoices(choices: readonly unknown[]): string {
  const shown = choices.map((choice) => JSON.stringify(choice));
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} or ${shown.at(-1)}`;
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_value":
      return listChoices(issue.values);
    case "invalid_type":
      if (issue.expected === "nonoptional") return "a value";
      return issue.expected === "int"
        ? "a whole number"
        : `${/^[aio]/.test(issue.expected) ? "an" : "a"} ${issue.expected}`;
    case "too_small":
      return `at least ${issue.minimum}${issue.origin === "string" ? " characters" : issue.origin === "array" ? " entries" : ""}`;
    case "too_big":
      return `at most ${issue.maximum}${issue.origin === "string" ? " characters" : issue.origin === "array" ? " entries" : ""}`;
    default:
      return issue.message;
  }
}

export function describeProblems(error: z.ZodError, schema: z.ZodType, value: unknown): string {
  const problems = error.issues.slice(0, 10).map((issue) => {
    const where = showPath(issue.path) || "the document";
    if (issue.code === "unrecognized_keys") {
      return `${where}: expected only ${listChoices(keysAt(schema, issue.path))}, got ${listChoices(issue.keys)}`;
    }
    return `${where}: expected ${expectation(issue)}, got ${showGiven(valueAt(value, issue.path))}`;
  });
  return problems.join("; ");
}
