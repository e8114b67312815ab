/**
 * The conformance suite: what the contract says of one run, asked of any engine through the real sandbox.
 * A language brings its programs and says what it is capable of; the expectations are the same for all.
 */

import { describe, expect, it } from "vitest";
import { LIMITS, MAX_MESSAGE_CHARS, MAX_STDOUT_LINES } from "../../src/limits.ts";
import type { SandboxOptions } from "../../src/options.ts";
import type { Language, Observation } from "../../src/types.ts";
import { useSandbox, withoutUsage } from "../fixtures/use-sandbox.ts";

/** A program with what it comes to. */
export interface Valued {
  readonly source: string;
  readonly result: unknown;
}

/** A program that fails, with its error's type and position. */
export interface Failing {
  readonly source: string;
  readonly error: string;
  readonly line: number;
  readonly column: number;
}

/** One program for each thing that the suite has to see. */
export interface Programs {
  /** Its last statement is an expression. */
  readonly endsInExpression: Valued;
  /** Binds `result` and ends in another expression. */
  readonly bindsResult: Valued;
  /** Binds `result` to null and ends in an expression. */
  readonly bindsResultToNull: Valued;
  /** Prints `5` and has no other value. */
  readonly printsFive: Valued;
  /** Has no value and prints nothing. */
  readonly hasNoValue: Valued;
  /** Has a value that JSON cannot hold: the result is its tagged form. */
  readonly hasTaggedValue: Valued;
  readonly failsAtRunTime: Failing;
  readonly failsToParse: Failing;
  /** Throws an error whose message has 1,000 emoji. */
  readonly failsAtLength: string;
  /** Prints `before`, then loops for ever. */
  readonly printsThenLoops: string;
  /** Prints `before`, then takes memory until there is none. */
  readonly printsThenFillsMemory: string;
  /** Prints `before`, then stays in a built-in that only SIGKILL ends. */
  readonly printsThenCannotBeInterrupted: string;
  /** Prints the lines 0, 1, 2, … without an end. */
  readonly printsForever: string;
  /** Prints `text` and ends. */
  prints(text: string): string;
  /** Ends in a text of so many letters. */
  hasText(letters: number): string;
  /** Ends in `input.a` doubled. */
  readonly readsInput: string;
  /** Ends in a list of ten random numbers. */
  readonly drawsNumbers: string;
  /** Ends in the time, in milliseconds since 1970. */
  readonly readsClock: string;
  /** Waits 90 virtual seconds and ends in the milliseconds that have passed by the clock. */
  readonly waits: string;
  /** Waits for what can never come. */
  readonly waitsForNothing: string;
  /** Leaves as much behind as it can. */
  readonly leavesTraces: string;
  /** Ends in a list of the traces that it finds of `leavesTraces`. */
  readonly findsTraces: string;
}

export interface EngineSpec {
  readonly language: Language;
  readonly containment: NonNullable<SandboxOptions["containment"]>;
  readonly programs: Programs;
  /** How a program ends that needs more memory than there is: the host's doing, or an exception of the language. */
  readonly memoryEnd?: { readonly status: Observation["status"]; readonly error: string };
}

const MEMORY_LIMIT = { status: "memory_limit", error: "MemoryLimit" } as const;

const TIMEOUT_MS = 400;
/** What the worker and the supervisor may need above a limit, on a machine that is busy. */
const SLACK_MS = 500 + LIMITS.killGraceMs.default;

export function describeEngine({ language, containment, programs, memoryEnd = MEMORY_LIMIT }: EngineSpec): void {
  describe(`${language} in ${containment}`, () => {
    const { run: runAny } = useSandbox({ containment });
    const run: typeof runAny = (source, asked) => runAny(source, { language, ...asked });

    const expectWellFormed = (observation: Observation): void => {
      expect(observation.ok).toBe(observation.status === "ok");
      expect(Object.hasOwn(observation, "result")).toBe(observation.ok);
      expect(Object.hasOwn(observation, "error")).toBe(!observation.ok);
      expect(observation.message?.length ?? 0).toBeLessThanOrEqual(MAX_MESSAGE_CHARS);
      expect(observation.usage.wallMs).toBeGreaterThanOrEqual(0);
      expect(JSON.parse(JSON.stringify(observation))).toEqual(observation);
    };

    it.each([
      "endsInExpression",
      "bindsResult",
      "bindsResultToNull",
      "printsFive",
      "hasNoValue",
      "hasTaggedValue",
    ] as const)("tells the value of a program that %s", async (name) => {
      const { source, result } = programs[name];
      const observation = await run(source);
      expect(observation).toMatchObject({ ok: true, status: "ok", result });
      expectWellFormed(observation);
    });

    it.each(["failsAtRunTime", "failsToParse"] as const)("says where a program %s", async (name) => {
      const { source, ...where } = programs[name];
      const observation = await run(source);
      expect(observation).toMatchObject({ status: "error", ...where });
      expectWellFormed(observation);
    });

    it("cuts a long message, never inside a surrogate pair, and says so", async () => {
      const observation = await run(programs.failsAtLength);
      expect(observation).toMatchObject({ status: "error", truncated: ["message"] });
      expect(observation.message).toMatch(/^\p{Emoji}+$/u);
      expectWellFormed(observation);
    });

    it.each(["printsThenLoops", "printsThenCannotBeInterrupted"] as const)(
      "ends a program that %s in time, and keeps what it printed",
      async (name) => {
        const observation = await run(programs[name], { limits: { timeoutMs: TIMEOUT_MS, memoryMb: 1024 } });
        expect(observation).toMatchObject({ status: "timeout", error: "Timeout", stdout: ["before"] });
        expect(observation.usage.wallMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
        expectWellFormed(observation);
      },
    );

    it("ends a program that fills the memory, and keeps what it printed", async () => {
      const observation = await run(programs.printsThenFillsMemory, { limits: { timeoutMs: 20_000 } });
      expect(observation).toMatchObject({ ...memoryEnd, stdout: ["before"] });
      expectWellFormed(observation);
    });

    it("ends a program that prints for ever in time, with no more lines than are kept", async () => {
      const observation = await run(programs.printsForever, { limits: { timeoutMs: TIMEOUT_MS } });
      expect(observation).toMatchObject({ status: "timeout", truncated: ["stdout"] });
      expect(observation.stdout).toEqual(Array.from({ length: MAX_STDOUT_LINES }, (_, index) => `${index}`));
      expect(observation.usage.wallMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    });

    it("hands over each line while the program runs", async () => {
      const lines: string[] = [];
      let ended = false;
      await new Promise<void>((resolve) => {
        const running = run(programs.printsThenLoops, {
          limits: { timeoutMs: 2000 },
          onStdout: (line) => {
            lines.push(line);
            resolve();
          },
        });
        void running.then(() => {
          ended = true;
          resolve();
        });
      });
      expect(lines).toEqual(["before"]);
      expect(ended).toBe(false);
    });

    it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])("cuts output at %i bytes, never inside a surrogate pair", async (bytes) => {
      const observation = await run(programs.prints("a😀é😀"), { limits: { stdoutBytes: bytes } });
      const kept = ["", "a", "a", "a", "a", "a😀", "a😀", "a😀é", "a😀é", "a😀é"][bytes] ?? "";
      expect(observation.stdout.join("")).toBe(kept);
      expect(observation.truncated).toEqual(["stdout"]);
    });

    it("does not call output cut that just fits", async () => {
      const observation = await run(programs.prints("a😀é😀"), { limits: { stdoutBytes: 11 } });
      expect(observation).toMatchObject({ ok: true, stdout: ["a😀é😀"] });
      expect(observation.truncated).toBe(undefined);
    });

    it("takes a result of just the largest size, and says of a larger one that it is", async () => {
      const letters = 1000;
      const limits = { resultBytes: letters + 2 };
      expect(await run(programs.hasText(letters), { limits })).toMatchObject({ ok: true, result: "x".repeat(letters) });
      expect(await run(programs.hasText(letters + 1), { limits })).toMatchObject({
        status: "output_limit",
        error: "OutputLimit",
      });
    });

    it("refuses a source or an input that is too long, without running it", async () => {
      const { source } = programs.endsInExpression;
      expect(await run(source, { limits: { sourceChars: source.length } })).toMatchObject({ ok: true });
      const long = await run(source, { limits: { sourceChars: source.length - 1 } });
      expect(long).toMatchObject({ status: "rejected", error: "InvalidArguments" });
      const input = await run(source, { input: "xxxx", limits: { inputBytes: 5 } });
      expect(input).toMatchObject({ status: "rejected", error: "InvalidArguments" });
      expectWellFormed(long);
      expectWellFormed(input);
    });

    it("binds the input", async () => {
      expect(await run(programs.readsInput, { input: { a: 21 } })).toMatchObject({ ok: true, result: 42 });
    });

    it("starts the clock where it is told, and moves it by waiting alone", async () => {
      const now = Date.UTC(2031, 1, 3);
      expect(await run(programs.readsClock, { now })).toMatchObject({ ok: true, result: now });
      const waited = await run(programs.waits, { now });
      expect(waited).toMatchObject({ ok: true, result: 90_000 });
      expect(waited.usage.wallMs).toBeLessThan(1000);
    });

    it("draws the same numbers from the same seed, and others from another", async () => {
      const [first, again, other, unseeded] = await Promise.all(
        [{ seed: 1 }, { seed: 1 }, { seed: 2 }, {}].map((asked) => run(programs.drawsNumbers, asked)),
      );
      expect(first?.result).toHaveLength(10);
      expect(again?.result).toEqual(first?.result);
      expect(other?.result).not.toEqual(first?.result);
      expect(unseeded?.result).not.toEqual(first?.result);
    });

    it("gives the same observation for the same run, usage aside", async () => {
      const asked = { seed: 7, now: 1e12, input: { a: 1 } };
      for (const source of [programs.drawsNumbers, programs.waits, programs.failsAtRunTime.source]) {
        const [first, second] = await Promise.all([run(source, asked), run(source, asked)]);
        expect(withoutUsage(first)).toEqual(withoutUsage(second));
      }
    });

    it("says at once that a program waits for nothing", async () => {
      const observation = await run(programs.waitsForNothing, { limits: { timeoutMs: 10_000 } });
      expect(observation).toMatchObject({ status: "error", error: "Deadlock" });
      expect(observation.usage.wallMs).toBeLessThan(5000);
    });

    it("starts every run with nothing of the one before", async () => {
      for (let round = 0; round < 4; round++) {
        await run(programs.leavesTraces);
        expect(await run(programs.findsTraces)).toMatchObject({ ok: true, result: [] });
      }
    });

    it.each(
      Object.entries(LIMITS).flatMap(([name, { min, max, scope }]) =>
        scope === "call" ? [min, max].map((value) => [name, value] as const) : [],
      ),
    )("answers with %s at %i", async (name, value) => {
      const observation = await run(programs.endsInExpression.source, { limits: { [name]: value } });
      expect(["ok", "timeout", "rejected", "output_limit"]).toContain(observation.status);
      expectWellFormed(observation);
    });
  });
}
