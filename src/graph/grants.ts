/**
 * Issues grants and redeems them, each once; knows which questions this process has put to a person.
 * Host memory, bounded. Believes nothing of a grant but its MAC, and refuses where it cannot tell.
 */

import { createHash, randomBytes } from "node:crypto";
import type { ResolvedGraphOptions } from "../options-graph.ts";
import {
  type ApprovalKey,
  type GrantedCall,
  type GrantScope,
  isAsked,
  isGenuine,
  signGrant,
  signQuestion,
  writeToken,
} from "../policy/grant.ts";
import type { Approval, Grant } from "../types.ts";
import { field } from "./fields.ts";

const MAX_USED = 100_000;
const MAX_QUESTIONS = 10_000;

/** For graphs without an approval key: its grants are worth something in this process only. */
const PROCESS_KEY: ApprovalKey = randomBytes(32);

/** Nonces of used grants with their expiry, of all graphs of the process. */
const used = new Map<string, number>();

function useHere(nonce: string, expiresAt: number, now: number): boolean {
  if (used.has(nonce)) return false;
  if (used.size >= MAX_USED) for (const [known, expiry] of used) if (expiry < now) used.delete(known);
  if (used.size >= MAX_USED) return false;
  used.set(nonce, expiresAt);
  return true;
}

export type Redemption = "ok" | "void" | "expired" | "used";

export interface Grants {
  /** False without an approval key. */
  readonly tamperEvident: boolean;
  tokenOf(scope: GrantScope, calls: readonly GrantedCall[]): string;
  /** Notes that the question is about to be put, and gives the proof of it that is kept in the state. */
  prepare(token: string): string;
  /** Notes that the question was put to whoever resumes. */
  noteShown(token: string): void;
  /** Whether an answer that names no token can be an answer to this very question. */
  wasPut(token: string, proof: unknown): boolean;
  issue(scope: GrantScope, call: GrantedCall, approval: Pick<Approval, "answer" | "approver">): Grant;
  /** The grant that was stored for the call, if it is genuine. */
  find(scope: GrantScope, call: GrantedCall, stored: unknown): Grant | null;
  redeem(grant: Grant): Promise<Redemption>;
}

export function hashInput(input: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(input) ?? "")
    .digest("hex");
}

export function createGrants(
  options: Pick<ResolvedGraphOptions, "approvalKey" | "approvalTtlMs" | "grantStore">,
): Grants {
  const { approvalKey, approvalTtlMs, grantStore } = options;
  const key = approvalKey ?? PROCESS_KEY;
  const tamperEvident = approvalKey !== undefined;
  /** Whether each question has been put by this process, oldest first. */
  const questions = new Map<string, boolean>();

  const remember = (token: string, wasShown: boolean): void => {
    questions.delete(token);
    questions.set(token, wasShown);
    const oldest = questions.size > MAX_QUESTIONS ? questions.keys().next().value : undefined;
    if (oldest !== undefined) questions.delete(oldest);
  };

  return {
    tamperEvident,
    tokenOf: writeToken,
    prepare(token) {
      remember(token, questions.get(token) ?? false);
      return signQuestion(key, token);
    },
    noteShown: (token) => remember(token, true),
    wasPut: (token, proof) => questions.get(token) ?? isAsked(key, token, proof),
    issue: (scope, call, approval) =>
      signGrant(key, scope, call, { ...approval, tamperEvident, expiresAt: Date.now() + approvalTtlMs }),
    find(scope, call, stored) {
      const grant = field(stored, "grant");
      if (typeof grant !== "object" || grant === null) return null;
      try {
        return isGenuine(key, scope, call, grant as Grant) ? (grant as Grant) : null;
      } catch {
        return null;
      }
    },
    async redeem({ nonce, expiresAt }) {
      const now = Date.now();
      if (expiresAt < now) return "expired";
      if (!useHere(nonce, expiresAt, now)) return "used";
      if (grantStore === undefined) return "ok";
      return (await grantStore.use(nonce, expiresAt)) === true ? "ok" : "used";
    },
  };
}
