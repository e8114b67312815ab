/**
 * A seal that only this process can make, for records that pass through the checkpointed state between two nodes.
 * A record without it (patched in by a caller, or left by another process) is as good as absent.
 */

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const KEY = randomBytes(32);

/** `parts` in a fixed order; they must be JSON. */
export function makeSeal(parts: readonly unknown[]): string {
  return createHmac("sha256", KEY).update(JSON.stringify(parts)).digest("base64url");
}

export function hasSeal(parts: readonly unknown[], seal: unknown): boolean {
  if (typeof seal !== "string") return false;
  const made = Buffer.from(makeSeal(parts));
  const given = Buffer.from(seal);
  return made.length === given.length && timingSafeEqual(made, given);
}
