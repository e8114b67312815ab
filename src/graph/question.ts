/**
 * What a person is shown: all calls of a turn that ask, in the field's human-in-the-loop shape, and what it stands on.
 * Shows only. Every text leaves with its unseen characters as \uXXXX, and tells where they were.
 */

import { createHash } from "node:crypto";
import type { ApprovalRequest } from "../policy/approval.ts";
import { reasonsToTell } from "../policy/reasons.ts";
import { printJson } from "../protocol/json.ts";
import type { Decision, Manifest, ValidatedCall } from "../types.ts";
import { findUnseen, showUnseen, showUnseenWithin } from "./unseen.ts";

export interface OpenCall {
  call: ValidatedCall;
  decision: Decision;
  manifest: Manifest | null;
  /** True where a person has changed the program, and is asked about it again. */
  edited: boolean;
}

const DECISIONS = ["approve", "edit", "reject"] as const;

function reasonsOf(decision: Decision): { rule: string; message: string }[] {
  return reasonsToTell(decision).map(({ rule, message }) => ({ rule, message }));
}

function describe({ call, decision, edited }: OpenCall, flagged: boolean): string {
  const reasons = reasonsOf(decision).map(({ rule, message }) => `${rule}: ${message}`);
  return [
    `Run this ${call.language} program in the sandbox?`,
    ...(edited ? ["It was edited, and is asked about again."] : []),
    ...(flagged ? ["It has characters that are not seen: they are shown as \\uXXXX."] : []),
    ...reasons,
  ].join("\n");
}

export function writeQuestion(
  open: readonly OpenCall[],
  facts: { token: string; tamperEvident: boolean; problem: string | null },
): ApprovalRequest {
  const actionRequests = open.map((one) => {
    const source = showUnseen(one.call.source);
    const description = showUnseen(describe(one, source !== one.call.source));
    return { name: showUnseen(one.call.name), args: { source }, description };
  });
  return {
    actionRequests,
    reviewConfigs: actionRequests.map(({ name }) => ({ actionName: name, allowedDecisions: [...DECISIONS] })),
    calls: open.map(({ call, decision, manifest, edited }) => ({
      callId: showUnseen(call.id),
      tool: showUnseen(call.name),
      language: call.language,
      sourceJson: printJson(call.source),
      sourceSha256: createHash("sha256").update(call.source).digest("hex"),
      reasons: showUnseenWithin(reasonsOf(decision)),
      manifest: showUnseenWithin(manifest),
      unseen: findUnseen(call.source),
      edited,
    })),
    token: facts.token,
    tamperEvident: facts.tamperEvident,
    ...(facts.problem === null ? {} : { problem: showUnseen(facts.problem) }),
  };
}
