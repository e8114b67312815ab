/**
 * What a key of `when` is: a schema for its value, and a test of it against the facts of one call.
 * A test never decides: it says yes, no, or that it cannot be known, and why.
 */

import type { z } from "zod";
import type { Facts, Manifest } from "../types.ts";

/** `told`: as they may be repeated. `untold`: how many there are beside these, which may not. */
export interface Names {
  readonly told: readonly string[];
  readonly untold: number;
}

export interface Finding {
  readonly holds: "yes" | "no" | "unknown";
  readonly why: string;
  /** What was found that the rule is about: told beside its message. */
  readonly names?: Names;
  /** What could not be determined, in a few words: told in place of a message that is about what was found. */
  readonly doubt?: string;
}

export interface Condition<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  /** The manifest is made only for a policy that reads it. */
  readonly readsManifest: boolean;
  /** `value` has been checked by the schema. */
  test(value: unknown, facts: Facts): Finding;
}

export function defineCondition<Schema extends z.ZodType>(condition: {
  schema: Schema;
  readsManifest: boolean;
  test(value: z.output<Schema>, facts: Facts): Finding;
}): Condition<Schema> {
  const { schema, readsManifest, test } = condition;
  return { schema, readsManifest, test: (value, facts) => test(value as z.output<Schema>, facts) };
}

export function yes(why: string): Finding {
  return { holds: "yes", why };
}

/**
 * A name as a language knows it, or a way of making code as the inspectors call it. Paths and addresses are not repeated: what
 * is told of a call holds nothing that looks like the host's.
 */
const PLAIN_NAME = /^(?:[A-Za-z_$][\w$.]*(?:\.\*|\((?:text|expression)?\))?|node:[a-z_]+(?:\/[a-z_]+)*)$/;

/** Yes, because of these names. `words`: what is told in place of a name that is not for everybody to understand. */
export function yesFor(what: string, found: readonly string[], words?: ReadonlyMap<string, string>): Finding {
  const plain = found.filter((name) => PLAIN_NAME.test(name));
  const told = [...new Set(plain.map((name) => words?.get(name) ?? shorten(name)))];
  return {
    holds: "yes",
    why: `${what}: ${nameSome(found)}`,
    names: { told, untold: found.length - plain.length },
  };
}

export function no(why: string): Finding {
  return { holds: "no", why };
}

export function unknown(why: string, doubt?: string): Finding {
  return { holds: "unknown", why, ...(doubt !== undefined && { doubt }) };
}

/** Tests the structure of the code. A program that does not parse is inert; without a manifest nothing is known. */
export function onManifest({ manifest }: Facts, test: (manifest: Manifest) => Finding): Finding {
  if (manifest === undefined) return unknown("there is no manifest");
  if (manifest.syntaxError !== undefined) return no("the program does not parse");
  return test(manifest);
}

function shorten(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}

/** A few of the names, for a person to read. */
export function nameSome(names: readonly string[]): string {
  return listNames(names.map(shorten), 5);
}

/** At most `most` of the names, and how many there are beside these. */
export function listNames(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return names.slice(0, most).join(", ") + more;
}
