/**
 * What a person is asked, and what they may answer: the value of the interrupt and of the resume.
 * Types only; an answer is untrusted until `graph/replies.ts` has read it.
 */

import type { Language, Manifest, Reason } from "../types.ts";

/** Where used grants are remembered by all processes that serve one thread. */
export interface GrantStore {
  /** True for the first caller with this nonce, in one atomic step; it may be forgotten after `expiresAt`. */
  use(nonce: string, expiresAt: number): boolean | Promise<boolean>;
}

/** A character that is not seen, or turns around what is: `line` and `column` 1-based, in UTF-16 units. */
export interface UnseenCharacter {
  kind: "control" | "bidi" | "invisible";
  codePoint: string;
  line: number;
  column: number;
}

/** One call that a person is asked about. Texts have unseen characters as \uXXXX. */
export interface ApprovalCall {
  callId: string;
  tool: string;
  language: Language;
  /** The exact program as a JSON string without unseen characters. */
  sourceJson: string;
  sourceSha256: string;
  reasons: Reason[];
  /** A lower bound of what the program mentions; null where it could not be made. */
  manifest: Manifest | null;
  unseen: UnseenCharacter[];
  /** True where the program is a person's edit that asks again. */
  edited: boolean;
}

/** The value of the interrupt: all calls of a turn that ask. Answered with an `ApprovalAnswer`. */
export interface ApprovalRequest {
  actionRequests: { name: string; args: { source: string }; description: string }[];
  reviewConfigs: { actionName: string; allowedDecisions: ("approve" | "edit" | "reject")[] }[];
  calls: ApprovalCall[];
  /** Stands for the ordered set of calls. An answer that repeats it counts for this set only. */
  token: string;
  tamperEvident: boolean;
  /** Why the answer before was not taken. */
  problem?: string;
}

/** One decision for each action request, in their order. */
export interface ApprovalAnswer {
  decisions: (
    | { type: "approve" }
    | { type: "edit"; editedAction: { name: string; args: { source: string } } }
    | { type: "reject"; message?: string }
  )[];
  token?: string;
}
