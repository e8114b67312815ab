/**
 * A grant: what a person's approval of one call is worth, as a MAC over everything that it was given for.
 * Pure. Knows no state and no clock; whether a grant was used before is for whoever redeems it to say.
 */

import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Approval, CallLimits, Grant, Language } from "../types.ts";

/** Where an approval is asked for and counts: one message of one thread, under these policies and limits. */
export interface GrantScope {
  thread: string;
  /** Checkpoint namespace of the graph, without the node's own part. */
  namespace: string;
  messageId: string;
  turn: number;
  policyDigests: readonly string[];
  limits: Readonly<CallLimits>;
  /** SHA-256 of `input` as JSON. */
  inputSha256: string;
}

export interface GrantedCall {
  id: string;
  name: string;
  language: Language;
  source: string;
}

export type ApprovalKey = string | Uint8Array;

function mac(key: ApprovalKey, parts: readonly unknown[]): string {
  return createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");
}

function isSame(made: string, given: unknown): boolean {
  if (typeof given !== "string") return false;
  const [a, b] = [Buffer.from(made), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function sortLimits(limits: object): [string, unknown][] {
  return Object.entries(limits).sort(([a], [b]) => (a < b ? -1 : 1));
}

function scopeParts(scope: GrantScope): unknown[] {
  const { thread, namespace, messageId, turn, policyDigests, inputSha256 } = scope;
  return [thread, namespace, messageId, turn, policyDigests, sortLimits(scope.limits), inputSha256];
}

function callParts({ id, name, language, source }: GrantedCall): unknown[] {
  return [id, name, language, source];
}

type Terms = Omit<Grant, "mac">;

function grantMac(key: ApprovalKey, scope: GrantScope, call: GrantedCall, terms: Terms): string {
  const { nonce, expiresAt, answer, approver, tamperEvident } = terms;
  return mac(key, ["grant 1", scopeParts(scope), callParts(call), nonce, expiresAt, answer, approver, tamperEvident]);
}

/** `expiresAt` in milliseconds since 1970. */
export function signGrant(
  key: ApprovalKey,
  scope: GrantScope,
  call: GrantedCall,
  approval: Approval & { expiresAt: number },
): Grant {
  const terms: Terms = { ...approval, nonce: randomBytes(16).toString("base64url") };
  return { ...terms, mac: grantMac(key, scope, call, terms) };
}

/** Whether `grant` was made with this key, in this scope, for this very call. Says nothing of its expiry. */
export function isGenuine(key: ApprovalKey, scope: GrantScope, call: GrantedCall, grant: Grant): boolean {
  return isSame(grantMac(key, scope, call, grant), grant.mac);
}

/** What a question is put under besides its calls: where it changes, so does the question. */
export function termsOf(scope: GrantScope): string {
  const { policyDigests, limits, inputSha256 } = scope;
  const parts = ["terms 1", policyDigests, sortLimits(limits), inputSha256];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/** One word for the ordered set of calls that a person is asked about: an answer that names another one is stale. */
export function writeToken(scope: GrantScope, calls: readonly GrantedCall[]): string {
  const parts = ["question 1", scopeParts(scope), calls.map(callParts)];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/** Proof that the question of `token` was put by a holder of the key. */
export function signQuestion(key: ApprovalKey, token: string): string {
  return mac(key, ["asked 1", token]);
}

export function isAsked(key: ApprovalKey, token: string, proof: unknown): boolean {
  return isSame(signQuestion(key, token), proof);
}
