/**
 * The decoders of both directions: exact keys, exact types, bounded sizes. Each message is broken in every field it has,
 * and only the whole one passes.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_STDOUT_LINES } from "../../src/limits.ts";
import { ProtocolViolation } from "../../src/protocol/frame.ts";
import { decodeHostMessage, decodeWorkerMessage } from "../../src/protocol/messages.ts";

type Fields = Record<string, unknown>;

const MIB = 1024 * 1024;
const run: Fields = {
  type: "run",
  id: "r1",
  language: "javascript",
  source: "1",
  input: null,
  timeoutMs: 1000,
  memoryMb: 64,
  stdoutBytes: 100,
  stdoutLines: 10,
  resultBytes: 100,
  timerTurns: 10,
  now: 0,
  seed: 1,
  dynamicCode: true,
  globals: null,
  modules: null,
};
const inspect: Fields = { type: "inspect", id: "i1", language: "python", source: "1" };
const ready: Fields = { type: "ready", node: "26.0.0", languages: ["javascript"] };
const started: Fields = { type: "started", id: "r1", atMs: 1 };
const stdout: Fields = { type: "stdout", id: "r1", line: "" };
const part: Fields = { type: "part", id: "r1", stream: "stderr", text: "a" };
const truncated: Fields = { type: "truncated", id: "r1" };
const outcome: Fields = { type: "outcome", id: "r1", status: "ok", wallMs: 1.5, cpuMs: null, sha256: "00" };
const details: Fields = { result: "1", error: "E", message: "m", line: 1, column: 1 };
const manifest: Fields = {
  type: "manifest",
  id: "i1",
  manifest: {
    language: "javascript",
    dialect: "typescript",
    sourceChars: 1,
    lines: 1,
    nesting: 0,
    imports: ["a"],
    globals: [],
    members: [],
    privateAccess: [],
    dynamicCode: [],
    loops: 0,
    sha256: "00",
    complete: true,
    undetermined: ["imports"],
  },
};

type Sample = [what: string, decode: (value: unknown) => object, message: Fields, optional?: Fields];
const SAMPLES: Sample[] = [
  ["run", decodeHostMessage, run],
  ["inspect", decodeHostMessage, inspect],
  ["ready", decodeWorkerMessage, ready],
  ["started", decodeWorkerMessage, started],
  ["stdout", decodeWorkerMessage, stdout, { stream: "stdout" }],
  ["part", decodeWorkerMessage, part],
  ["truncated", decodeWorkerMessage, truncated],
  ["outcome", decodeWorkerMessage, outcome, details],
  ["manifest", decodeWorkerMessage, manifest],
];

/** What no field of any message may be. */
const WRONG: unknown[] = [undefined, Number.NaN, Number.POSITIVE_INFINITY, 1n, Symbol("s"), {}, [[]], () => 1];

function fromWire(message: Fields): unknown {
  return JSON.parse(JSON.stringify(message)) as unknown;
}

describe.each(SAMPLES)("a message of type %s", (_, decode, message, optional = {}) => {
  const whole = { ...message, ...optional };

  it("is decoded as it is, made anew", () => {
    const wire = fromWire(whole);
    const decoded = decode(wire);
    expect(decoded).toEqual(wire);
    expect(decoded).not.toBe(wire);
  });

  it("is decoded without what is optional", () => {
    expect(decode(fromWire(message))).toEqual(fromWire(message));
  });

  it.each(Object.keys(message))("is refused without %s", (key) => {
    const { [key]: _missing, ...rest } = whole;
    expect(() => decode(rest)).toThrow(ProtocolViolation);
  });

  it.each(Object.keys(whole))("is refused with anything else as %s", (key) => {
    for (const value of WRONG) expect(() => decode({ ...whole, [key]: value })).toThrow(ProtocolViolation);
  });

  it("is refused with any other key", () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (key, value) => {
        fc.pre(!Object.hasOwn(whole, key) && !Object.hasOwn(details, key));
        expect(() => decode(Object.fromEntries([...Object.entries(whole), [key, value]]))).toThrow(ProtocolViolation);
      }),
      { numRuns: 50 },
    );
  });

  it("is refused with an own key __proto__, as JSON can bring one", () => {
    const text = JSON.stringify(whole).replace("{", '{"__proto__":{"id":"other"},');
    expect(() => decode(JSON.parse(text))).toThrow(ProtocolViolation);
  });

  it("is refused where its fields are inherited and not its own", () => {
    expect(() => decode(Object.create(whole) as object)).toThrow(ProtocolViolation);
  });

  it("is refused in the other direction", () => {
    const other = decode === decodeHostMessage ? decodeWorkerMessage : decodeHostMessage;
    expect(() => other(fromWire(whole))).toThrow(ProtocolViolation);
  });
});

describe("a field beyond its bounds is refused:", () => {
  it.each<[string, Sample[1], Fields]>([
    ["a source larger than 8 Mi characters", decodeHostMessage, { ...run, source: "x".repeat(8 * MIB + 1) }],
    ["an id of 65 characters", decodeHostMessage, { ...run, id: "x".repeat(65) }],
    ["a timeout of 0, which an isolate reads as none", decodeHostMessage, { ...run, timeoutMs: 0 }],
    ["half a millisecond", decodeHostMessage, { ...run, timeoutMs: 0.5 }],
    ["more than a minute", decodeHostMessage, { ...run, timeoutMs: 60_001 }],
    ["too little memory", decodeHostMessage, { ...run, memoryMb: 7 }],
    ["more lines than are kept", decodeHostMessage, { ...run, stdoutLines: MAX_STDOUT_LINES + 1 }],
    ["more timer turns than isolated-vm survives", decodeHostMessage, { ...run, timerTurns: 50_001 }],
    ["an unsafe seed", decodeHostMessage, { ...run, seed: 2 ** 53 }],
    ["more than a thousand globals", decodeHostMessage, { ...run, globals: Array(1001).fill("x") }],
    ["an unknown language", decodeHostMessage, { ...run, language: "ruby" }],
    ["a status that only the host may give", decodeWorkerMessage, { ...outcome, status: "cancelled" }],
    ["line 0", decodeWorkerMessage, { ...outcome, line: 0 }],
    ["a message of 2,001 characters", decodeWorkerMessage, { ...outcome, message: "x".repeat(2001) }],
    ["a result larger than 8 Mi characters", decodeWorkerMessage, { ...outcome, result: "x".repeat(8 * MIB + 1) }],
    ["a printed line larger than 8 Mi characters", decodeWorkerMessage, { ...stdout, line: "x".repeat(8 * MIB + 1) }],
    ["a part larger than 8 Mi characters", decodeWorkerMessage, { ...part, text: "x".repeat(8 * MIB + 1) }],
    ["a part of what is no stream", decodeWorkerMessage, { ...part, stream: "stdin" }],
    ["a line of what is no stream", decodeWorkerMessage, { ...stdout, stream: null }],
    ["nine languages", decodeWorkerMessage, { ...ready, languages: Array(9).fill("python") }],
    ["a manifest within a manifest", decodeWorkerMessage, { ...manifest, manifest }],
    [
      "a manifest with an own __proto__",
      decodeWorkerMessage,
      { ...manifest, manifest: JSON.parse('{"__proto__":{}}') as unknown },
    ],
  ])("%s", (_, decode, message) => {
    expect(() => decode(message)).toThrow(ProtocolViolation);
  });
});

describe("anything at all", () => {
  it.each([null, undefined, 5, "run", true, [], [run], {}, { type: null }, new Map([["type", "run"]])])(
    "such as %j is no message",
    (value) => {
      expect(() => decodeHostMessage(value)).toThrow(ProtocolViolation);
      expect(() => decodeWorkerMessage(value)).toThrow(ProtocolViolation);
    },
  );

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty", "RUN", "run ", ""])(
    "with the type %j is no message",
    (type) => {
      expect(() => decodeHostMessage({ ...run, type })).toThrow(ProtocolViolation);
      expect(() => decodeWorkerMessage({ ...started, type })).toThrow(ProtocolViolation);
    },
  );

  it("is a message or a violation, and changes nothing of the host", () => {
    const types = fc.constantFrom(...SAMPLES.map(([type]) => type), "__proto__", "constructor");
    const record = fc.record({ type: types, id: fc.string() }, { requiredKeys: [] });
    const hostile = fc.tuple(record, fc.dictionary(fc.string(), fc.jsonValue())).map(([a, b]) => ({ ...b, ...a }));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), hostile), (value) => {
        for (const decode of [decodeHostMessage, decodeWorkerMessage]) {
          try {
            expect(SAMPLES.map(([type]) => type)).toContain(decode(value).type);
          } catch (error) {
            expect(error).toBeInstanceOf(ProtocolViolation);
          }
        }
        expect(Reflect.ownKeys({}.constructor.prototype as object)).toEqual(Reflect.ownKeys(Object.prototype));
      }),
      { numRuns: 300 },
    );
  });
});
