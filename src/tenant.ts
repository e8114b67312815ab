/**
 * What a tenant is called: the same for a request to the sandbox and for an option of the graph.
 * Checks the name alone: who a tenant is, and whether it may run anything, is the caller's matter.
 */

const MAX_CHARS = 200;

export const A_TENANT = `a text of 1 to ${MAX_CHARS} characters`;

export function isTenant(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_CHARS;
}
