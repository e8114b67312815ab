/**
 * What a key of `when` is: a schema for its value, and a test of it against the facts of one call.
 * A test never decides: it says yes, no, or that it cannot be known, and why.
 */

import type { z } from "zod";
import type { Facts, Manifest } from "../types.ts";

export interface Finding {
  readonly holds: "yes" | "no" | "unknown";
  readonly why: string;
  /** What was found that the rule is about, by name: told beside its message. */
  readonly names?: string;
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

/** A name as a language knows it. Paths and addresses are not repeated: what is told of a call holds nothing that looks like the host's. */
const PLAIN_NAME = /^[A-Za-z_$][\w$.]*$/;

/** Yes, because of these names. */
export function yesFor(what: string, found: readonly string[]): Finding {
  const plain = found.filter((name) => PLAIN_NAME.test(name));
  return { holds: "yes", why: `${what}: ${nameSome(found)}`, ...(plain.length > 0 && { names: nameSome(plain) }) };
}

export function no(why: string): Finding {
  return { holds: "no", why };
}

export function unknown(why: string): Finding {
  return { holds: "unknown", why };
}

/** Tests the structure of the code. A program that does not parse is inert; without a manifest nothing is known. */
export function onManifest({ manifest }: Facts, test: (manifest: Manifest) => Finding): Finding {
  if (manifest === undefined) return unknown("there is no manifest");
  if (manifest.syntaxError !== undefined) return no("the program does not parse");
  return test(manifest);
}

/** A few of the names, for a person to read. */
export function nameSome(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => (name.length > 40 ? `${name.slice(0, 40)}…` : name));
  return `${shown.join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;
}
