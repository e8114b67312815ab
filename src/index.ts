/**
 * The public API.
 * Must hold nothing but named re-exports: what is not named here may change without notice.
 */

export { type ErrorCode, InspectionError, SandboxError } from "./errors.ts";
export type { SallyportEvent, SallyportEventData, SallyportEventName } from "./graph/events.ts";
export { createReceiptLog, type ReceiptLog, verifyReceipts } from "./graph/receipt-log.ts";
export { type CodeTool, createCodeTools } from "./graph/tools.ts";
export { type CodeExecutionGraph, createCodeExecutionGraph, type GraphOptions } from "./graph/workflow.ts";
export { DEFAULT_LIMITS } from "./limits.ts";
export type { SandboxOptions } from "./options.ts";
export type { BoundOptions, CodeOptions, RunFacts, TenantOf } from "./options-graph.ts";
export type { RunOptions } from "./options-run.ts";
export type { ApprovalAnswer, ApprovalCall, ApprovalRequest, GrantStore } from "./policy/approval.ts";
export { definePolicy } from "./policy/define-policy.ts";
export { type PolicyDocument, parsePolicyDocument, policyJsonSchema } from "./policy/document.ts";
export type { Policy } from "./policy/evaluate.ts";
export { decodeValue, Opaque } from "./protocol/values.ts";
export { createSandbox } from "./sandbox/sandbox.ts";
export type * from "./types.ts";
