/**
 * What host and worker say to each other, and the decoders of both directions.
 * A message is hostile until decoded: exact keys, exact types, bounded sizes; whatever else is a violation.
 */

import { LANGUAGES } from "../languages.ts";
import { MAX_STDOUT_LINES } from "../limits.ts";
import { ASPECTS } from "../manifest.ts";
import type { Language, Manifest, ProbeAttempt, Status } from "../types.ts";
import { array, boolean, choice, decodeRecord, integer, nullable, number, optional, text } from "./decode.ts";

/** Host to worker: run one program. `id` is unguessable and new for each run. */
export interface RunMessage {
  type: "run";
  id: string;
  language: Language;
  source: string;
  input: string | null;
  timeoutMs: number;
  memoryMb: number;
  stdoutBytes: number;
  stdoutLines: number;
  resultBytes: number;
  timerTurns: number;
  now: number;
  seed: number;
  dynamicCode: boolean;
  /** Names that stay: of globals in JavaScript, of built-ins in Python. */
  globals: string[] | null;
  /** Modules that may be imported; null for all. */
  modules: string[] | null;
}

/** Host to worker: say what the code mentions. */
export interface InspectMessage {
  type: "inspect";
  id: string;
  language: Language;
  source: string;
}

/** Host to prober: try what is forbidden. No code of anybody is in it. */
export interface ProbeMessage {
  type: "probe";
  id: string;
  /** Attempts that are answered, a loop that never ends, or memory up to `memoryBytes`. */
  what: "attempts" | "endless" | "memory";
  memoryBytes: number;
  /** A file of the host that every user may read, made for this probe. */
  file: string;
  /** The folder that it is in, in which every user may write. */
  folder: string;
  /** Of a listener of the host on 127.0.0.1. */
  port: number;
  hostPid: number;
  /** Whether the worker numbers processes as the host does. */
  hostPidIsShared: boolean;
  /** Names that the worker may have. */
  environment: string[];
}

export type HostMessage = RunMessage | InspectMessage | ProbeMessage;

export interface ReadyMessage {
  type: "ready";
  node: string;
  languages: Language[];
}

export interface StartedMessage {
  type: "started";
  id: string;
  /** When, on the machine's monotonic clock: the host may read this long after. Milliseconds. */
  atMs: number;
}

/** What a program prints to. */
export type Stream = "stdout" | "stderr";

export interface StdoutMessage {
  type: "stdout";
  id: string;
  line: string;
  /** Present exactly where parts of the line were told: this is the whole of it. */
  stream?: Stream;
}

/** What is new of a line that has not ended. */
export interface PartMessage {
  type: "part";
  id: string;
  stream: Stream;
  text: string;
}

/** No more lines will come: the budget is used. */
export interface TruncatedMessage {
  type: "truncated";
  id: string;
}

/** How an engine may say that a run ended; the host's own record of a kill goes before it. */
export type EngineStatus = Extract<Status, "ok" | "error" | "timeout" | "memory_limit" | "output_limit">;

export interface OutcomeMessage {
  type: "outcome";
  id: string;
  status: EngineStatus;
  /** JSON text; present exactly when ok. */
  result?: string;
  error?: string;
  message?: string;
  line?: number;
  column?: number;
  wallMs: number;
  cpuMs: number | null;
  /** Of the text given to the engine. */
  sha256: string;
}

export interface ManifestMessage {
  type: "manifest";
  id: string;
  manifest: Manifest;
}

export interface ProbedMessage {
  type: "probed";
  id: string;
  attempts: ProbeAttempt[];
}

/** What the run left behind is gone and the next isolate is made: the worker waits. `id` is of the run. */
export interface RestedMessage {
  type: "rested";
  id: string;
}

export type WorkerMessage =
  | ReadyMessage
  | RestedMessage
  | StartedMessage
  | StdoutMessage
  | PartMessage
  | TruncatedMessage
  | OutcomeMessage
  | ManifestMessage
  | ProbedMessage;

const ENGINE_STATUSES: readonly EngineStatus[] = ["ok", "error", "timeout", "memory_limit", "output_limit"];
const STREAMS: readonly Stream[] = ["stdout", "stderr"];
const MAX_TEXT = 8 * 1024 * 1024;
/** Of a line or a column. */
export const MAX_PLACE = MAX_TEXT;

const id = text(64);
const language = choice(LANGUAGES);
const names = array(text(300), 1000);

const runMessage = decodeRecord<RunMessage>({
  type: choice(["run"]),
  id,
  language,
  source: text(MAX_TEXT),
  input: nullable(text(MAX_TEXT)),
  timeoutMs: integer(1, 60_000),
  memoryMb: integer(8, 4096),
  stdoutBytes: integer(0, MAX_TEXT),
  stdoutLines: integer(0, MAX_STDOUT_LINES),
  resultBytes: integer(2, MAX_TEXT),
  timerTurns: integer(1, 50_000),
  now: number,
  seed: integer(0, Number.MAX_SAFE_INTEGER),
  dynamicCode: boolean,
  globals: nullable(names),
  modules: nullable(names),
});

const inspectMessage = decodeRecord<InspectMessage>({
  type: choice(["inspect"]),
  id,
  language,
  source: text(MAX_TEXT),
});

const manifest = decodeRecord<Manifest>({
  language,
  dialect: choice(["javascript", "typescript", "python"]),
  sourceChars: integer(0, MAX_TEXT),
  lines: integer(0, MAX_TEXT),
  nesting: integer(0, MAX_TEXT),
  imports: names,
  globals: names,
  members: names,
  privateAccess: names,
  dynamicCode: names,
  loops: integer(0, MAX_TEXT),
  sha256: text(64),
  complete: boolean,
  undetermined: array(choice(ASPECTS), 8),
  syntaxError: optional(
    decodeRecord<NonNullable<Manifest["syntaxError"]>>({
      message: text(2000),
      line: optional(integer(0, MAX_TEXT)),
      column: optional(integer(0, MAX_TEXT)),
    }),
  ),
});

const probeMessage = decodeRecord<ProbeMessage>({
  type: choice(["probe"]),
  id,
  what: choice(["attempts", "endless", "memory"]),
  memoryBytes: integer(0, Number.MAX_SAFE_INTEGER),
  file: text(1000),
  folder: text(1000),
  port: integer(0, 65_535),
  hostPid: integer(0, Number.MAX_SAFE_INTEGER),
  hostPidIsShared: boolean,
  environment: names,
});

const probeAttempt = decodeRecord<ProbeAttempt>({ name: text(100), hasSucceeded: boolean, detail: text(300) });

const fromHost = { run: runMessage, inspect: inspectMessage, probe: probeMessage };

const fromWorker = {
  ready: decodeRecord<ReadyMessage>({ type: choice(["ready"]), node: text(40), languages: array(language, 8) }),
  rested: decodeRecord<RestedMessage>({ type: choice(["rested"]), id }),
  started: decodeRecord<StartedMessage>({ type: choice(["started"]), id, atMs: number }),
  stdout: decodeRecord<StdoutMessage>({
    type: choice(["stdout"]),
    id,
    line: text(MAX_TEXT),
    stream: optional(choice(STREAMS)),
  }),
  part: decodeRecord<PartMessage>({ type: choice(["part"]), id, stream: choice(STREAMS), text: text(MAX_TEXT) }),
  truncated: decodeRecord<TruncatedMessage>({ type: choice(["truncated"]), id }),
  manifest: decodeRecord<ManifestMessage>({ type: choice(["manifest"]), id, manifest }),
  probed: decodeRecord<ProbedMessage>({ type: choice(["probed"]), id, attempts: array(probeAttempt, 32) }),
  outcome: decodeRecord<OutcomeMessage>({
    type: choice(["outcome"]),
    id,
    status: choice(ENGINE_STATUSES),
    result: optional(text(MAX_TEXT)),
    error: optional(text(200)),
    message: optional(text(2000)),
    line: optional(integer(1, MAX_PLACE)),
    column: optional(integer(1, MAX_PLACE)),
    wallMs: number,
    cpuMs: nullable(number),
    sha256: text(64),
  }),
};

function decodeWith<Message>(decoders: Record<string, (value: unknown) => Message>, value: unknown): Message {
  const type = (value as { type?: unknown } | null)?.type;
  const decoder = typeof type === "string" && Object.hasOwn(decoders, type) ? decoders[type] : undefined;
  return (decoder ?? runNothing)(value) as Message;
}

const runNothing = decodeRecord<{ type: never }>({ type: choice([]) });

/** @throws ProtocolViolation */
export function decodeHostMessage(value: unknown): HostMessage {
  return decodeWith<HostMessage>(fromHost, value);
}

/** @throws ProtocolViolation */
export function decodeWorkerMessage(value: unknown): WorkerMessage {
  return decodeWith<WorkerMessage>(fromWorker, value);
}
