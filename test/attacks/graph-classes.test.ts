/**
 * The table of hostile input to the graph is complete: each class has kinds, and each kind a test that is there.
 */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GRAPH_CASES, GRAPH_CLASSES } from "./graph-classes.ts";

const ROOT = new URL("../../", import.meta.url);

/** Calls of `it`, `test`, `describe` and what their rows say: everything but imports and comments. */
function readTests(file: string): string {
  const text = readFileSync(new URL(file, ROOT), "utf8");
  return text
    .replace(/^\/\*\*[\s\S]*?\*\//, "")
    .replace(/^import [\s\S]*?;$/gm, "")
    .replace(/^\s*\/\/.*$/gm, "");
}

describe("hostile input to the graph", () => {
  it.each(GRAPH_CLASSES)("%s has kinds, each with another name", (name) => {
    const kinds = GRAPH_CASES.filter(([of]) => of === name).map(([, kind]) => kind);
    expect(kinds.length).toBeGreaterThanOrEqual(3);
    expect(new Set(kinds).size).toBe(kinds.length);
  });

  it.each(GRAPH_CASES)("%s: %s is tried by %s: %s", (_of, _kind, file, title) => {
    expect(file).toMatch(/^test\/.*\.test\.ts$/);
    expect(readTests(file)).toContain(title);
  });
});
