/**
 * What reads TypeScript is loaded when a program first needs it, and that program does not pay for it with its time.
 * The modules of the worker that isolated-vm is no part of, looked at from here.
 */

import { expect, it, vi } from "vitest";

/** As in a worker that has just started: other test files share these modules. */
async function loadFresh() {
  vi.resetModules();
  const { parseSource } = await import("../../src/worker/engines/javascript/parse.ts");
  return { parseSource, ...(await import("../../src/worker/engines/javascript/transpile.ts")) };
}

it.each([
  "const list = [{ text: 'a' }]; const type = 'x'; list.map((item) => item.text);",
  "label: for (;;) break label;",
  "const as = 1; as;",
])("is not loaded ahead for what is JavaScript: %s", async (source) => {
  const { loadForTypeScript, takeLoadingMs } = await loadFresh();
  loadForTypeScript(source);
  expect(takeLoadingMs()).toBe(0);
});

it("tells once what the loading took, and nothing for JavaScript", async () => {
  const { parseSource, takeLoadingMs } = await loadFresh();
  parseSource("const list = [1, 2]; list");
  expect(takeLoadingMs()).toBe(0);
  parseSource("const one: number = 1; one");
  expect(takeLoadingMs()).toBeGreaterThan(0);
  expect(takeLoadingMs()).toBe(0);
  parseSource("const two: number = 2; two");
  expect(takeLoadingMs()).toBe(0);
});

it.each([
  "const one: number = 1;",
  "function f(a: string[]): void {}",
  "interface Point { x: number }",
  "const x = value as const;",
  "enum Color { Red }",
])("is loaded ahead for what looks like TypeScript: %s", async (source) => {
  const { loadForTypeScript, takeLoadingMs } = await loadFresh();
  loadForTypeScript(source);
  expect(takeLoadingMs()).toBeGreaterThan(0);
});
