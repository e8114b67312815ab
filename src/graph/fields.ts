/**
 * Reads properties of values whose shape nobody vouches for.
 * Never throws: a getter that throws, a proxy that is revoked, a null where an object should be read as undefined.
 */

export function field(value: unknown, key: string): unknown {
  if (value === null || typeof value !== "object") return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
