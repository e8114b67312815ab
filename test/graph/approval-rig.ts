/**
 * What the tests of approval share: a policy that asks about the global `ask`, and reading the question that is put.
 */

import { Command, INTERRUPT, isInterrupted } from "@langchain/langgraph";
import type { ApprovalRequest } from "../../src/policy/approval.ts";
import type { PolicyDocument } from "../../src/policy/document.ts";

/** Looks like no key that anybody uses. */
export const KEY = "not-a-real-key-".repeat(3);

export const ASKING: PolicyDocument = {
  version: 1,
  name: "asking",
  defaultEffect: "deny",
  languages: ["javascript", "python"],
  tools: ["run_javascript_sandboxed", "run_python_sandboxed"],
  rules: [
    { id: "forbidden", effect: "deny", when: { globals: { anyOf: ["forbidden"] } }, message: "It is forbidden." },
    { id: "ask-first", effect: "ask", when: { globals: { anyOf: ["ask"] } }, message: "A person has to see this." },
    { id: "allow", effect: "allow", when: {}, message: "No rule is against it." },
  ],
};

/** The question that the run waits with, if it waits. */
export function questionOf(state: unknown): ApprovalRequest | undefined {
  if (!isInterrupted<ApprovalRequest>(state)) return undefined;
  return state[INTERRUPT][0]?.value;
}

/** An answer of any shape, as whoever resumes sends it. */
export function resume(value: unknown) {
  return new Command<unknown, Record<string, never>, never>({ resume: value });
}
