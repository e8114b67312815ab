/**
 * The decoders under frames that are almost right: no crash, nothing accepted that the protocol does not have.
 * A small part of what `npm run reliability` does, with a new seed each time, which is printed.
 */

import { describe, expect, it } from "vitest";
import { createChance } from "../fixtures/chance.ts";
import { fuzzFrames } from "../fixtures/fuzz-frames.ts";

describe("frames that are almost right", () => {
  const seed = Math.floor(Math.random() * 2 ** 32);

  it(`are messages or violations (seed ${seed})`, () => {
    const { frames, accepted, refused, believed } = fuzzFrames(20_000, createChance(seed));
    expect(frames).toBe(20_000);
    // It would be no test if all were refused, or none.
    expect(refused).toBeGreaterThan(frames / 4);
    expect(accepted).toBeGreaterThan(frames / 20);
    expect(believed).toBeGreaterThan(frames / 50);
  });

  it("are the same again with the same seed", () => {
    expect(fuzzFrames(500, createChance(7))).toEqual(fuzzFrames(500, createChance(7)));
  });
});
