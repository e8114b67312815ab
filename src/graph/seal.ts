/**
 * A seal for records that pass through the checkpointed state between two nodes: of this process, or of the operator's key.
 * A record without it (patched in by a caller, or left by a process without the key) is as good as absent.
 */

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export type SealKey = Uint8Array;

/** For graphs without an approval key: what they leave is believed in this process only. */
const PROCESS_KEY: SealKey = randomBytes(32);

/** A key of its own, so that a seal is never a grant. */
export function deriveSealKey(approvalKey: string | Uint8Array | undefined): SealKey {
  return approvalKey === undefined ? PROCESS_KEY : createHmac("sha256", approvalKey).update("seal 1").digest();
}

/** `parts` in a fixed order; they must be JSON. */
export function makeSeal(parts: readonly unknown[], key: SealKey = PROCESS_KEY): string {
  return createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");
}

export function hasSeal(parts: readonly unknown[], seal: unknown, key?: SealKey): boolean {
  if (typeof seal !== "string") return false;
  const made = Buffer.from(makeSeal(parts, key));
  const given = Buffer.from(seal);
  return made.length === given.length && timingSafeEqual(made, given);
}
