/**
 * The public API. Named re-exports and nothing else.
 */

export { type ErrorCode, SandboxError } from "./errors.ts";
export { DEFAULT_LIMITS } from "./limits.ts";
export type { SandboxOptions } from "./options.ts";
export { decodeValue, Opaque } from "./protocol/values.ts";
export { createSandbox } from "./sandbox/sandbox.ts";
export type * from "./types.ts";
