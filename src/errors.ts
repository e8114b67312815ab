/**
 * Faults of the caller or the operator. What the code or the model did is never a fault: it is an observation.
 * A fault's message says what was expected, what was found and what to do; it names no secret.
 */

/** Each code with what survives it. */
export const ERROR_CODES = {
  INVALID_OPTIONS: "An option, policy or request is wrong. Nothing was started; nothing else is affected.",
  ENGINE_UNAVAILABLE:
    "No worker can start: no usable Node, a missing file, a failing start. The pool does not come up.",
  CONTAINMENT_UNAVAILABLE: "The containment that was asked for is not to be had here. Nothing was started.",
  POOL_CLOSED: "The sandbox was closed. Calls that were running have ended as cancelled.",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** What is thrown for a fault, and for nothing else. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Of the warning that `auto` found no containment. Here, where whoever listens for it has nothing heavy to load. */
export const NO_CONTAINMENT = "SALLYPORT_NO_CONTAINMENT";

export function closedFault(): SandboxError {
  return new SandboxError("POOL_CLOSED", "The sandbox is closed: make a new one with createSandbox.");
}

/** A program was not read, so that nothing can be decided about it: no fault of anybody's, and to be tried again. */
export class InspectionError extends Error {
  override readonly name = "InspectionError";
  /** As it would stand in an observation. */
  readonly status: "queue_timeout" | "unavailable" | "cancelled";

  constructor(status: InspectionError["status"], message: string) {
    super(message);
    this.status = status;
  }
}
