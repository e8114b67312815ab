/**
 * One message in, its answers out, one at a time. The worker's whole conversation with the host.
 * Must answer before it cleans up, and must never answer twice.
 */

import { hash } from "node:crypto";
import { decodeHostMessage, type HostMessage, type OutcomeMessage, type RunMessage } from "../protocol/messages.ts";
import type { Language, Manifest } from "../types.ts";
import { receive, send } from "./channel.ts";
import type { Engine } from "./engines/engine.ts";
import { runSafely } from "./run-safely.ts";

export type Inspector = (source: string) => Manifest;

/** The clock of the whole machine: the host's supervisor reads the same. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A worker that has waited this long for its next message is not pressed: what it does after an answer can wait a moment. */
const UNPRESSED_MS = 1;
/** What Python makes next keeps a core a hundred times as long. Measured in three pairs: a little sooner in two of them. */
const YIELD_MS: Record<Language, number> = { javascript: 0.1, python: 2 };
const nothing = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Runs until the host closes the input. */
export function pump(engines: ReadonlyMap<Language, Engine>, inspectors: ReadonlyMap<Language, Inspector>): void {
  for (;;) {
    const waitsFromMs = performance.now();
    const message = receive();
    if (message === null) return;
    const isPressed = performance.now() - waitsFromMs < UNPRESSED_MS;
    handle(decodeHostMessage(message), engines, inspectors, isPressed);
  }
}

/**
 * The kernel likes to wake the reader of a pipe on the core of the writer, and there the next isolate would be made first:
 * measured, one answer in ten then comes 1.5 ms later.
 */
function letHostRead(language: Language): void {
  Atomics.wait(nothing, 0, 0, YIELD_MS[language]);
}

function handle(
  message: HostMessage,
  engines: ReadonlyMap<Language, Engine>,
  inspectors: ReadonlyMap<Language, Inspector>,
  isPressed: boolean,
): void {
  if (message.type === "inspect") {
    const inspect = inspectors.get(message.language);
    if (!inspect) throw new Error(`this worker does not inspect ${message.language}`);
    send({ type: "started", id: message.id, atMs: monotonicMs() });
    send({ type: "manifest", id: message.id, manifest: inspect(message.source) });
    send({ type: "rested", id: message.id });
    return;
  }
  if (message.type === "probe") throw new Error("only a prober probes");
  const engine = engines.get(message.language);
  if (!engine) throw new Error(`this worker does not run ${message.language}`);
  engine.ready(message);
  send({ type: "started", id: message.id, atMs: monotonicMs() });
  send(run(engine, message));
  if (!isPressed) letHostRead(message.language);
  engine.renew();
  send({ type: "rested", id: message.id });
}

function run(engine: Engine, message: RunMessage): OutcomeMessage {
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  const { id } = message;
  const outcome = runSafely(engine, message, {
    line: (line, stream) => send({ type: "stdout", id, line, ...(stream !== undefined && { stream }) }),
    part: (text, stream) => send({ type: "part", id, stream, text }),
    truncated: () => send({ type: "truncated", id }),
  });
  // Of the whole process: isolated-vm's own figure is real time in its release builds.
  const cpu = process.cpuUsage(cpuBefore);
  return {
    type: "outcome",
    id,
    ...outcome,
    ...(outcome.message !== undefined && { message: outcome.message.slice(0, 2000) }),
    wallMs: performance.now() - started,
    cpuMs: (cpu.user + cpu.system) / 1000,
    sha256: hash("sha256", message.source),
  };
}
