/**
 * What reads TypeScript is loaded when a program first needs it, and that program does not pay for it with its time.
 * The modules of the worker that isolated-vm is no part of, looked at from here.
 */

import { expect, it } from "vitest";
import { parseSource } from "../../src/worker/engines/javascript/parse.ts";
import { takeLoadingMs } from "../../src/worker/engines/javascript/transpile.ts";

it("tells once what the loading took, and nothing for JavaScript", () => {
  parseSource("const list = [1, 2]; list");
  expect(takeLoadingMs()).toBe(0);
  parseSource("const one: number = 1; one");
  expect(takeLoadingMs()).toBeGreaterThan(0);
  expect(takeLoadingMs()).toBe(0);
  parseSource("const two: number = 2; two");
  expect(takeLoadingMs()).toBe(0);
});
