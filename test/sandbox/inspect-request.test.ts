/**
 * A request to inspect: what is wrong with it is thrown as the caller's fault, in the words of a run.
 */

import { describe, expect, it } from "vitest";
import type { InspectRequest } from "../../src/types.ts";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const inUse = useSandbox({ workers: 1 });

describe("a request to inspect that is", () => {
  it.each<[given: unknown, words: RegExp]>([
    [null, /request: expected an object, got null/],
    [undefined, /request: expected an object, got undefined/],
    ["x", /request: expected an object, got "x"/],
    [5, /request: expected an object, got 5/],
    [{ language: "javascript", source: 5 }, /source: expected a string, got 5/],
    [{ language: "javascript" }, /source: expected a string, got undefined/],
    [{ source: "1" }, /language: expected .*got undefined/],
    [{ language: "ruby", source: "1" }, /language: expected .*got "ruby"/],
    [{ language: "javascript", source: "1", signal: {} }, /signal: expected an AbortSignal, got an object/],
    [{ language: "javascript", source: "1", limits: {} }, /unknown option limits; there are language, source, signal/],
  ])("%j is a fault that says so", async (given, words) => {
    await expect(inUse.sandbox.inspect(given as InspectRequest)).rejects.toMatchObject({
      name: "SandboxError",
      code: "INVALID_OPTIONS",
      message: expect.stringMatching(words),
    });
  });

  it("in order is answered", async () => {
    expect(await inUse.sandbox.inspect({ language: "javascript", source: "a.b" })).toMatchObject({ members: ["b"] });
  });
});
