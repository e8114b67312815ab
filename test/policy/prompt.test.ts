/**
 * Tool descriptions: short enough, and true. What is told is asked of the policy again here.
 */

import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS, LIMITS, type LimitName } from "../../src/limits.ts";
import { definePolicy } from "../../src/policy/define-policy.ts";
import { createPolicy, type Policy } from "../../src/policy/evaluate.ts";
import { PRESET_NAMES } from "../../src/policy/presets.ts";
import { describeForSystem, describeTool } from "../../src/policy/prompt.ts";
import type { Language, Manifest } from "../../src/types.ts";
import { makeFacts, makeManifest, readFacts } from "./facts.ts";

const LANGUAGES: Language[] = ["javascript", "python"];
const every = PRESET_NAMES.flatMap((preset) => LANGUAGES.map((language) => [preset, language] as const));
const largest = Object.fromEntries(Object.entries(LIMITS).map(([name, { max }]) => [name, max])) as Record<
  LimitName,
  number
>;

const refuses = (policy: Policy, language: Language, manifest: Partial<Manifest>) =>
  policy.evaluate(makeFacts({ language, manifest: makeManifest({ language, dialect: language, ...manifest }) }))
    .effect === "deny";

const customWith = (rules: object[], more: object = {}) =>
  createPolicy({
    version: 1,
    name: "mine",
    defaultEffect: "deny",
    languages: LANGUAGES,
    tools: ["run_javascript_sandboxed", "run_python_sandboxed"],
    rules: [...rules, { id: "rest", effect: "allow", when: {}, message: "Allowed." }],
    ...more,
  });

describe("the description of a tool", () => {
  test.each(every)("%s for %s has all that belongs there, in 1,200 characters", (preset, language) => {
    for (const limits of [DEFAULT_LIMITS, largest]) {
      const text = describeTool(createPolicy(preset), language, limits);
      expect(text.length).toBeLessThanOrEqual(1200);
      expect(text).toMatch(language === "python" ? /CPython 3\.\d+/ : /JavaScript .*TypeScript/);
      for (const part of [
        /import/,
        /no network/,
        language === "python"
          ? /Value: the variable result;.*last statement.*last printed line/
          : /top-level return.*result.*last statement.*last printed line/,
        /input/,
        /Example:/,
      ]) {
        expect(text).toMatch(part);
      }
      expect(text).toContain(`${limits.timeoutMs} ms`);
      expect(text).toContain(`${limits.memoryMb} MiB`);
    }
  });

  test.each(every)(
    "%s for %s says that private names and code from text are refused where they are",
    (preset, language) => {
      const policy = createPolicy(preset);
      const text = describeTool(policy, language, DEFAULT_LIMITS);
      expect(/begin with _/.test(text)).toBe(refuses(policy, language, { privateAccess: ["_x"], members: ["_x"] }));
      expect(/eval/.test(text)).toBe(refuses(policy, language, { dynamicCode: ["eval"] }));
      expect(/arithmetic only/.test(text)).toBe(
        language === "python" &&
          refuses(policy, language, { dynamicCode: ["eval"] }) &&
          !refuses(policy, language, { dynamicCode: ["eval(expression)"] }),
      );
      const globals = policy.permits(language).globals;
      expect(/class does not work/.test(text)).toBe(language === "python" && globals !== undefined);
      expect(/Computed names/.test(text)).toBe(
        language === "javascript" && refuses(policy, language, { undetermined: ["members"] }),
      );
    },
  );

  test("tells every module of Python that can be imported, and no other", () => {
    const policy = createPolicy("standard");
    const told =
      /imported, [^:]*: (.+?)\.\s/.exec(describeTool(policy, "python", DEFAULT_LIMITS))?.[1]?.split(", ") ?? [];
    expect(told.length).toBeGreaterThan(30);
    for (const name of told) expect(refuses(policy, "python", { imports: [name] })).toBe(false);
    // What the import hook lets pass at run time is the same list.
    const enforced = policy.permits("python").modules?.filter((name) => !name.endsWith(".*"));
    expect(told).toEqual(enforced);
    for (const name of ["os", "numpy", "socket"]) {
      expect(told).not.toContain(name);
      expect(refuses(policy, "python", { imports: [name] })).toBe(true);
    }
  });

  test.each(LANGUAGES)("tells every global that strict leaves in %s, and no other", (language) => {
    const policy = createPolicy("strict");
    const told = /only globals: ([^.]+)\./.exec(describeTool(policy, language, DEFAULT_LIMITS))?.[1]?.split(", ") ?? [];
    expect(told).toEqual(policy.permits(language).globals);
    expect(refuses(policy, language, { globals: told })).toBe(false);
  });

  test.each(PRESET_NAMES)("the example of %s is allowed by it", (preset) => {
    const policy = createPolicy(preset);
    const example = describeTool(policy, "javascript", DEFAULT_LIMITS).split("Example:\n")[1] ?? "";
    expect(policy.evaluate(readFacts(example))).toMatchObject({ effect: "allow" });
  });

  test("tells the smaller of the policy's and the limit's length", () => {
    const short = customWith([
      { id: "short", effect: "deny", when: { sourceChars: { over: 900 } }, message: "Too long." },
    ]);
    expect(describeTool(short, "javascript", DEFAULT_LIMITS)).toContain("900 characters of source");
    expect(describeTool(short, "javascript", { ...DEFAULT_LIMITS, sourceChars: 500 })).toContain(
      "500 characters of source",
    );
  });

  test("finds out what rules in TypeScript refuse", () => {
    const when = ({ manifest }: { manifest?: Manifest }) => manifest?.imports.includes("json") === true;
    const policy = definePolicy({
      name: "mine",
      extends: "standard",
      rules: [{ id: "no-json", effect: "deny", when, message: "No." }],
    });
    expect(describeTool(policy, "python", DEFAULT_LIMITS)).not.toMatch(/\bjson\b/);
  });

  test("says so where a person is asked, or where everything is refused", () => {
    const asking = customWith([{ id: "ask", effect: "ask", when: {}, message: "Asked." }]);
    expect(describeTool(asking, "javascript", DEFAULT_LIMITS)).toMatch(/A person is asked/);
    const refusing = customWith([{ id: "no", effect: "deny", when: {}, message: "No." }]);
    expect(describeTool(refusing, "javascript", DEFAULT_LIMITS)).toMatch(/refuses every call/);
  });

  test("leaves out what there is no room for, and says how much", () => {
    const names = Array.from({ length: 300 }, (_, index) => `module_number_${index}`);
    const rules = [{ id: "imports", effect: "deny", when: { imports: { noneOf: names } }, message: "No." }];
    const text = describeTool(customWith(rules, { builtins: { python: names } }), "python", largest);
    expect(text.length).toBeLessThanOrEqual(1200);
    expect(text.match(/and \d+ more/g)).toHaveLength(2);
    expect(text).toContain("Example:");
  });
});

describe("what is told of asking and budgets", () => {
  test.each(["imports", "dynamicCode", "privateAccess", "globals", "members"] as const)(
    "of %s that are asked about is told, and asked",
    (key) => {
      const value = { imports: { noneOf: [] }, globals: { anyOf: ["x"] }, members: { anyOf: ["x"] } };
      const when = { [key]: key in value ? value[key as keyof typeof value] : true };
      const policy = customWith([{ id: "first", effect: "ask", when, message: "See it." }]);
      const manifest = makeManifest({ [key]: ["x"] });
      expect(policy.evaluate(makeFacts({ manifest })).effect).toBe("ask");
      expect(policy.evaluate(makeFacts()).effect).toBe("allow");
      expect(describeTool(policy, "javascript", DEFAULT_LIMITS)).toContain("A person is asked first about:");
    },
  );

  test("no asking is told where nothing asks", () => {
    for (const preset of PRESET_NAMES) {
      expect(describeTool(createPolicy(preset), "javascript", DEFAULT_LIMITS)).not.toContain("A person");
    }
  });

  test("a budget is told as it is enforced", () => {
    const policy = customWith([
      { id: "runs", effect: "deny", when: { threadRuns: { over: 3 } }, message: "No more runs." },
      { id: "time", effect: "deny", when: { threadMs: { over: 700 } }, message: "No more time." },
    ]);
    const text = describeTool(policy, "javascript", DEFAULT_LIMITS);
    expect(text).toContain("At most 3 runs in this conversation.");
    expect(text).toContain("At most 700 ms of running time in this conversation.");
    const effectAt = (threadRuns: number, threadMs: number) =>
      policy.evaluate(makeFacts({ threadRuns, threadMs })).effect;
    expect([effectAt(2, 700), effectAt(3, 0), effectAt(0, 701)]).toEqual(["allow", "deny", "deny"]);
  });

  test("the system message tells the limits of turns and calls, and of a person only where one may be asked", () => {
    const limits = { ...DEFAULT_LIMITS, maxTurns: 7, maxCallsPerTurn: 5 };
    const text = describeForSystem(createPolicy("standard"), limits);
    expect(text).toContain("At most 7 of your messages");
    expect(text).toContain("at most 5 calls");
    expect(text).not.toContain("person");
    expect(describeForSystem(customWith([{ id: "a", effect: "ask", when: {}, message: "See." }]), limits)).toContain(
      "person",
    );
  });
});
