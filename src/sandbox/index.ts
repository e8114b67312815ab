/**
 * The public API of the sandbox alone, for a host without a graph: the same names as in the package's own entry.
 * Named re-exports and nothing else; loads nothing of LangChain.
 */

export { type ErrorCode, InspectionError, SandboxError } from "../errors.ts";
export { DEFAULT_LIMITS } from "../limits.ts";
export type { SandboxOptions } from "../options.ts";
export { decodeValue, Opaque } from "../protocol/values.ts";
export type * from "../types.ts";
export { createSandbox } from "./sandbox.ts";
