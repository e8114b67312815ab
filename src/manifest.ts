/**
 * A manifest that says nothing yet: what inspectors fill in, and what stands for a program that nobody could read.
 * Reads no program: what it tells is how long one is, the same number whoever asks.
 */

import type { Aspect, Language, Manifest } from "./types.ts";

/** All of them, in the order in which a manifest names them. */
export const ASPECTS: readonly Aspect[] = ["imports", "globals", "members", "dynamicCode"];

/** A line feed at the end ends a line and begins none. */
function countLines(source: string): number {
  let lines = 1;
  for (let at = source.indexOf("\n"); at >= 0 && at < source.length - 1; at = source.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** Empty lists, no digest, and not complete. */
export function blankManifest(language: Language, source: string): Manifest {
  return {
    language,
    dialect: language,
    sourceChars: source.length,
    lines: countLines(source),
    nesting: 0,
    imports: [],
    globals: [],
    members: [],
    privateAccess: [],
    dynamicCode: [],
    loops: 0,
    sha256: "",
    complete: false,
    undetermined: [],
  };
}
