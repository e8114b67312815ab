/**
 * Checks parsed JSON that a stranger wrote before anything walks it: depth, and keys that must not enter.
 * Does not recurse, so that no nesting can overflow the stack; changes nothing.
 */

/** Deeper JSON is refused: what comes after may recurse over it. */
export const MAX_JSON_DEPTH = 200;

/** What is wrong with `value`, in one sentence; undefined where nothing is. `forbidden` lists keys refused at any depth. */
export function findJsonFault(value: unknown, forbidden: readonly string[]): string | undefined {
  let level: object[] = isObject(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return `nested more than ${MAX_JSON_DEPTH} levels deep`;
    const next: object[] = [];
    for (const node of level) {
      for (const [key, child] of Object.entries(node)) {
        if (forbidden.includes(key) && !Array.isArray(node)) return `the key "${key}" is not accepted anywhere`;
        if (isObject(child)) next.push(child);
      }
    }
    level = next;
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export type JsonRecord = Readonly<Record<string, unknown>>;

/** True for a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is JsonRecord {
  return isObject(value) && !Array.isArray(value);
}
