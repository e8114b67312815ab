/**
 * Attacks by kind of text: prototypes, syntax, forgery, late effects, leaks, TypeScript.
 * Judged like every attack: one true observation in time, nothing of the host, the next run right.
 */

import { describe, expect, it } from "vitest";
import { HOSTILE_CLASSES } from "../fixtures/hostile-classes.ts";
import { HOSTILE_PROGRAMS } from "../fixtures/hostile-programs.ts";
import { describeProgram, useAttackedSandbox } from "./attack.ts";

const inUse = useAttackedSandbox();

describe.each(Object.entries(HOSTILE_CLASSES))("%s: a program that", (_, programs) => {
  describeProgram(programs, inUse);
});

describe("the programs together", () => {
  const all = [...Object.values(HOSTILE_PROGRAMS), ...Object.values(HOSTILE_CLASSES)].flat();

  it("are many, and each is another", () => {
    expect(all.length).toBeGreaterThanOrEqual(190);
    expect(new Set(all.map(({ source }) => source)).size).toBeGreaterThanOrEqual(all.length - 2);
  });
});
