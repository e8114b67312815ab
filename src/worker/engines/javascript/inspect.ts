/**
 * Says what a JavaScript or TypeScript program mentions, without running it.
 * Reads by the parser that the engine uses: what it cannot read is inert. A lower bound, never a boundary.
 */

import { createHash } from "node:crypto";
import { ASPECTS, blankManifest } from "../../../manifest.ts";
import type { Manifest } from "../../../types.ts";
import { collectMentions } from "./manifest-collect.ts";
import { surveyProgram } from "./manifest-walk.ts";
import { type Parsed, ParseFailure, parseSource } from "./parse.ts";

function describeFailure({ message, line, column }: ParseFailure): NonNullable<Manifest["syntaxError"]> {
  return { message, ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
}

function parseOrFailure(source: string): Parsed | ParseFailure {
  try {
    return parseSource(source);
  } catch (error) {
    if (error instanceof ParseFailure) return error;
    throw error;
  }
}

/** The manifest of `source`. A program that does not parse has empty lists, `syntaxError`, and is not complete. */
export function inspectJavaScript(source: string): Manifest {
  const blank: Manifest = {
    ...blankManifest("javascript", source),
    sha256: createHash("sha256").update(source, "utf8").digest("hex"),
  };
  const parsed = parseOrFailure(source);
  if (parsed instanceof ParseFailure) return { ...blank, syntaxError: describeFailure(parsed) };
  const survey = surveyProgram(parsed.program);
  const found = collectMentions(survey);
  return {
    ...blank,
    dialect: parsed.dialect,
    nesting: survey.nesting,
    imports: found.imports.values(),
    globals: found.globals.values(),
    members: found.members.values(),
    privateAccess: found.privateAccess.values(),
    dynamicCode: found.dynamicCode.values(),
    loops: survey.loops,
    complete: found.undetermined.size === 0,
    undetermined: ASPECTS.filter((aspect) => found.undetermined.has(aspect)),
  };
}
