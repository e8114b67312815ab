/**
 * The records that pass through the pipeline, and the words for their fields.
 * Types only: no logic, no defaults, nothing that exists at run time.
 */

import type { LANGUAGES } from "./languages.ts";
import type { LimitName } from "./limits.ts";

/** A language that a call may name. TypeScript is accepted wherever `javascript` is. */
export type Language = (typeof LANGUAGES)[number];

/** Anything that JSON can hold. Values JSON cannot hold are tagged: `{"$type":"bigint","value":"1"}`. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** How a call ended: the host's own record of the first cause, never read from text the guest controls. */
export type Status =
  | "ok"
  | "rejected"
  | "denied"
  | "error"
  | "timeout"
  | "memory_limit"
  | "output_limit"
  | "crashed"
  | "queue_timeout"
  | "cancelled"
  | "unavailable";

/** Observation fields that were cut to fit a limit. */
export type Truncated = "stdout" | "message";

/** Milliseconds. `cpuMs`: null where the worker was killed. `queueMs`: for a worker, in Python also for its interpreter. */
export interface Usage {
  wallMs: number;
  cpuMs: number | null;
  queueMs: number;
}

/** What every call ends in, whatever happened: the one thing that the model gets to see. */
export interface Observation {
  ok: boolean;
  status: Status;
  /** Present exactly when `ok`; null where the program had no value. */
  result?: JsonValue;
  /** Printed lines, kept on every outcome. */
  stdout: string[];
  /** The guest's exception type, or the product's own name for the cause. Present exactly when not `ok`. */
  error?: string;
  /** At most 200 characters, a policy's refusal at most 1,000; holds no host path and no host stack. */
  message?: string;
  /** 1-based, in the source as the model wrote it. */
  line?: number;
  column?: number;
  truncated?: Truncated[];
  usage: Usage;
}

/** Limits of one call. See `limits.ts` for units, defaults and bounds. */
export interface CallLimits {
  timeoutMs: number;
  memoryMb: number;
  sourceChars: number;
  argumentBytes: number;
  inputBytes: number;
  stdoutBytes: number;
  resultBytes: number;
  timerTurns: number;
}

/** What stays in the guest: ways to make code from text; globals (Python: built-ins); what Python may import. */
export interface Permits {
  dynamicCode: boolean;
  globals?: readonly string[];
  modules?: readonly string[];
}

/** One run, as a caller of `sandbox.run` states it. */
export interface RunRequest {
  language: Language;
  source: string;
  /** JSON bound to the global `input`. */
  input?: JsonValue;
  limits?: Partial<CallLimits>;
  /** Seed of Math.random and kin; drawn by the host where absent. */
  seed?: number;
  /** Where the virtual clock starts, in milliseconds since 1970; the host's clock where absent. */
  now?: number;
  signal?: AbortSignal;
  /** Default: dynamic code is allowed and every global of the allowlist is there. */
  permits?: Permits;
  /** On whose behalf, at most 200 characters; never from the code or the model. No worker runs programs of two tenants. */
  tenant?: string;
  /** Called with each printed line while the program runs. */
  onStdout?: (line: string) => void;
}

/** A property of the code that the inspector could not determine, because a name is computed. */
export type Aspect = "imports" | "globals" | "members" | "dynamicCode";

/** What the code mentions: a lower bound, made by a real parser, never by running it. */
export interface Manifest {
  language: Language;
  /** Source that parses as JavaScript is JavaScript; only other source is read as TypeScript. */
  dialect: "javascript" | "typescript" | "python";
  sourceChars: number;
  lines: number;
  /** Deepest nesting of syntax nodes that hold statements or brackets. */
  nesting: number;
  imports: string[];
  globals: string[];
  members: string[];
  /** Members and names that begin with an underscore, and `constructor`, `__proto__` and kin. */
  privateAccess: string[];
  /** Each way of making code from text that is mentioned: `eval`, `Function`, `import()`, … */
  dynamicCode: string[];
  loops: number;
  sha256: string;
  /** False where a name is computed, so that the lists above may lack something. */
  complete: boolean;
  undetermined: Aspect[];
  /** Set where the source does not parse: the engine uses the same parser, so it is inert. */
  syntaxError?: { message: string; line?: number; column?: number };
}

export type Effect = "allow" | "deny" | "ask";

/** A rule that had a say, and what it tells the model. `possible`: it could only not be ruled out. */
export interface Reason {
  rule: string;
  message: string;
  possible?: true;
}

/** What the policy says of a call. A decision is data: it names the rules that caused it. */
export interface Decision {
  effect: Effect;
  reasons: Reason[];
  /** What would have been decided, where a policy is in `dryRun`. */
  wouldBe?: { effect: Effect; reasons: Reason[] };
}

/** What a person answered about one call. */
export interface Approval {
  answer: "approve" | "edit" | "reject";
  /** Identity from the server's authentication, else `unverified`. */
  approver: string;
  /** False where there is no approval key: then nothing proves the approval outside of the process that took it. */
  tamperEvident: boolean;
}

/** An approval of one program, for one call: MAC'd, used once. */
export interface Grant extends Approval {
  nonce: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  mac: string;
}

/** What the policy may look at when it decides one call. */
export interface Facts {
  tool: string;
  language: Language;
  source: string;
  /** Absent where no rule of the policy reads it. */
  manifest?: Manifest;
  /** How many calls since the last human message had this very source and failed. */
  identicalFailures: number;
  /** Runs of the thread before this call; absent where no thread is known. */
  threadRuns?: number;
  /** Real time that they used, in milliseconds; absent where no thread is known. */
  threadMs?: number;
}

/** A tool call that passed `validate`. */
export interface ValidatedCall {
  id: string;
  name: string;
  language: Language;
  source: string;
}

/** One record a call, widened once a node. */
export interface CallRecord {
  id: string;
  name: string;
  language?: Language;
  source?: string;
  /** The call's own program, where a person has put `source` in its place. */
  original?: string;
  decision?: Decision;
  /** Proof that a person was asked; under what, why the answer before was not taken, and a digest of its words. */
  asked?: string;
  question?: { terms: string; problem?: string | null; heard?: string | null };
  /** What a person answered, where it is no grant. */
  approval?: Approval;
  grant?: Grant;
  /** The observation as one line of JSON: guest results live in state as strings, never as objects. */
  observation?: string;
  receipt?: Receipt;
}

/** What is kept of a call for the record: no source, output, literal argument or exception text. */
export interface Receipt {
  callId: string;
  tool: string;
  language: Language | null;
  turn: number;
  /** Of the source in the call, taken in the host. */
  sourceSha256: string | null;
  /** Of the text given to the engine, taken in the worker; null where nothing ran. */
  engineSha256: string | null;
  policy: string;
  decision: Effect | null;
  /** Under `dryRun`: what would have been decided, by the rules that are named. */
  wouldBe: Effect | null;
  rules: string[];
  /** Of a person, where one was asked. */
  approval: Approval | null;
  status: Status;
  usage: Usage | null;
  layers: string[];
}

/** Why the graph ended. */
export type OutcomeKind = "success" | "cap" | "answer" | "no_calls" | "cancelled";

export interface Outcome {
  kind: OutcomeKind;
  turns: number;
  /** The last observation as one line of JSON, null where there was none. */
  observation: string | null;
}

/** What `sandbox.inspect` is asked. */
export type InspectRequest = Pick<RunRequest, "language" | "source" | "signal">;

/** An observation, with what only the host and the worker know of the run. */
export interface Execution {
  observation: Observation;
  /** SHA-256 of the text that the engine was given, taken in the worker; null where nothing ran. */
  engineSha256: string | null;
}

/** Something forbidden that was tried from inside a worker. `detail`: what it got, or what it met. */
export interface ProbeAttempt {
  name: string;
  hasSucceeded: boolean;
  detail: string;
}

/** One layer of the isolation, and whether it is there. What was not seen is not active. `isBroken`: it is there, and does not work. */
export interface Layer {
  name: string;
  active: boolean;
  isBroken?: true;
  /** A worker tried it from inside; the host looked from outside; both; or it holds by how workers are started. */
  probed: "inside" | "outside" | "inside and outside" | "stated";
  detail: string;
  /** What to do to get it, where it is not active and something can be done. */
  remedy?: string;
}

export interface SandboxReport {
  /** The launcher: container, bubblewrap or process. */
  containment: string;
  /** What a V8 exploit would meet, in a sentence. */
  summary: string;
  workerNode: string;
  platform: string;
  languages: Language[];
  /** What each language runs on. */
  engines: Layer[];
  layers: Layer[];
  /** Launchers that cannot run here, with what would help. */
  unavailable: { name: string; reason: string; remedy: string }[];
  /** Where attacks were asked for: what a worker comes to that has been taken over, with Node's own fences down. */
  exploited?: ProbeAttempt[];
}

/** A pool of locked-down workers that run code. Holds processes: close it. */
export interface Sandbox {
  /** The limits that this sandbox was made with: a caller may lower the per-call ones. */
  readonly limits: Readonly<Record<LimitName, number>>;
  /** Names of the active layers, for receipts. */
  readonly layers: readonly string[];
  /** Languages that have an engine here. */
  readonly languages: readonly Language[];
  /** Always resolves to one observation; rejects only on a fault of the caller or the operator. */
  run(request: RunRequest): Promise<Observation>;
  /** `run`, with what a receipt needs. */
  execute(request: RunRequest): Promise<Execution>;
  /** What the code mentions, read by an inspector worker. @throws InspectionError, or what `signal` was aborted with */
  inspect(request: InspectRequest): Promise<Manifest>;
  /** Probes every layer, in workers of its own. With `attacks`, another one plays a worker that has been taken over. */
  report(options?: { attacks?: boolean }): Promise<SandboxReport>;
  isClosed(): boolean;
  /** Ends every worker. Runs that are active or queued end as `cancelled`. May be called again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
