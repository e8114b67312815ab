/** Lines of a program, counted in one way for every language. */

import { expect, it } from "vitest";
import { blankManifest } from "../src/manifest.ts";

it.each([
  ["", 1],
  ["a", 1],
  ["a\n", 1],
  ["a\nb", 2],
  ["a\nb\n", 2],
  ["a\n\n", 2],
  ["\n", 1],
  ["a\r\nb\r\n", 2],
])("%j has %i", (source, lines) => {
  expect(blankManifest("javascript", source).lines).toBe(lines);
});
