/**
 * One digest for everything that decides, so that an approval or a receipt can name the policy it was made under.
 * The order in which the keys of a document were written changes nothing.
 */

import { createHash } from "node:crypto";

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value, sortKeys), "utf8").digest("hex");
}
