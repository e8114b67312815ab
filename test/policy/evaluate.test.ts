/**
 * From rules to one decision: order of effects, defaults, failures, scope, and what is taken away at run time.
 */

import { describe, expect, test } from "vitest";
import { askInstead } from "../../src/policy/ask-instead.ts";
import { definePolicy } from "../../src/policy/define-policy.ts";
import { createPolicy } from "../../src/policy/evaluate.ts";
import type { Effect, Facts, Manifest } from "../../src/types.ts";
import { makeFacts, makeManifest, readFacts } from "./facts.ts";

const rule = (id: string, effect: Effect, when: object = {}) => ({ id, effect, when, message: `Message of ${id}.` });
const documentOf = (rules: object[], more: object = {}) => ({
  version: 1,
  name: "mine",
  defaultEffect: "deny",
  languages: ["javascript"],
  tools: ["run_javascript_sandboxed"],
  rules,
  ...more,
});
const decide = (rules: object[], facts: Facts = makeFacts()) => createPolicy(documentOf(rules)).evaluate(facts);
const open = makeFacts({ manifest: makeManifest({ undetermined: ["imports", "globals", "members", "dynamicCode"] }) });
const { manifest: _manifest, ...blind } = makeFacts();

describe("a decision", () => {
  const cases: [rules: object[], effect: Effect, ids: string[]][] = [
    [[], "deny", ["default"]],
    [[rule("a", "allow")], "allow", ["a"]],
    [[rule("a", "allow"), rule("b", "allow")], "allow", ["a", "b"]],
    [[rule("a", "allow"), rule("b", "ask")], "ask", ["b"]],
    [[rule("a", "allow"), rule("b", "ask"), rule("c", "deny"), rule("d", "deny")], "deny", ["c", "d"]],
    [[rule("a", "deny", { dynamicCode: true })], "deny", ["default"]],
    [[rule("a", "deny", { dynamicCode: true }), rule("b", "allow")], "allow", ["b"]],
  ];
  test.each(cases)("of %j is %s by %j", (rules, effect, ids) => {
    const decision = decide(rules);
    expect(decision).toMatchObject({ effect, reasons: ids.map((id) => ({ rule: id })) });
    for (const { rule: id, message } of decision.reasons)
      if (id !== "default") expect(message).toBe(`Message of ${id}.`);
  });

  const keys = [
    { imports: { anyOf: ["a"] } },
    { globals: { noneOf: [] } },
    { members: { anyOf: ["a"] } },
    { privateAccess: true },
    { dynamicCode: true },
  ];
  test("tells first what the code says, then what could only not be ruled out", () => {
    const facts = makeFacts({ manifest: makeManifest({ dynamicCode: ["eval"], undetermined: ["imports"] }) });
    const rules = [
      rule("modules", "deny", { imports: { noneOf: [] } }),
      rule("dynamic", "deny", { dynamicCode: true }),
    ];
    expect(decide(rules, facts).reasons).toEqual([
      { rule: "dynamic", message: "Message of dynamic." },
      { rule: "modules", message: "This could not be ruled out: Message of modules.", possible: true },
    ]);
  });

  test("a preset's refusal names what was found, bounded", () => {
    const imports = ["os", "/etc/passwd", "file:///etc", "x".repeat(500), ...Array.from("abcdefghi")];
    const facts = makeFacts({ manifest: makeManifest({ imports }) });
    const [reason] = createPolicy("standard").evaluate(facts).reasons;
    expect(reason?.message).toMatch(/^Refused: os, x{40}…, a, b, c and 6 more\. /);
  });

  test("names eval as the cause under standard", () => {
    expect(createPolicy("standard").evaluate(readFacts("eval('1')")).reasons[0]?.rule).toBe("dynamic-code");
  });

  test.each(keys)("what is not known of %j matches deny and ask, never allow", (when) => {
    for (const facts of [open, blind]) {
      expect(decide([rule("x", "deny", when), rule("y", "allow")], facts).effect).toBe("deny");
      expect(decide([rule("x", "ask", when), rule("y", "allow")], facts).effect).toBe("ask");
      expect(decide([rule("x", "allow", when)], facts)).toMatchObject({
        effect: "deny",
        reasons: [{ rule: "default" }],
      });
    }
  });

  test("a language or tool that the document does not name is denied, whatever the rules say", () => {
    expect(decide([rule("a", "allow")], makeFacts({ tool: "shell" }))).toMatchObject({
      effect: "deny",
      reasons: [{ rule: "tools" }],
    });
    const python = makeFacts({ language: "python" });
    expect(decide([rule("a", "allow")], python).reasons.map((reason) => reason.rule)).toEqual(["languages", "tools"]);
  });

  test("a rule that throws denies and is named, its error's text is not", () => {
    const facts = makeFacts();
    Object.defineProperty(facts, "manifest", {
      get() {
        throw new Error("secret");
      },
    });
    const decision = decide([rule("a", "allow", { privateAccess: true }), rule("b", "allow")], facts);
    expect(decision).toEqual({
      effect: "deny",
      reasons: [{ rule: "a", message: expect.stringContaining('"a" failed') }],
    });
    expect(JSON.stringify(decision)).not.toContain("secret");
  });

  test("explain shows every rule, matched or not, and why", () => {
    const policy = createPolicy(documentOf([rule("a", "deny", { dynamicCode: true }), rule("b", "allow")]));
    expect(policy.explain(makeFacts())).toEqual([
      { rule: "languages", effect: "deny", matched: false, why: expect.any(String) },
      { rule: "tools", effect: "deny", matched: false, why: expect.any(String) },
      { rule: "a", effect: "deny", matched: false, why: "code from text: none" },
      { rule: "b", effect: "allow", matched: true, why: "always" },
    ]);
  });
});

describe("createPolicy", () => {
  test("gives back a policy that was made earlier", () => {
    const policy = createPolicy("standard");
    expect(createPolicy(policy)).toBe(policy);
  });

  test("does not take an object that only looks like a policy", () => {
    expect(() => createPolicy({ ...createPolicy("standard") })).toThrow(/policy: version: expected 1, got nothing/);
  });

  test("names the presets where it does not know one", () => {
    expect(() => createPolicy("lenient")).toThrow(
      'policy: expected "strict", "standard", "allow-all", a document or a policy, got "lenient"',
    );
  });

  test("reads the manifest only where a rule does", () => {
    expect(createPolicy(documentOf([rule("a", "deny", { sourceChars: { over: 1 } })])).readsManifest).toBe(false);
    expect(createPolicy(documentOf([rule("a", "deny", { nesting: { over: 1 } })])).readsManifest).toBe(true);
  });

  test("the digest is the document's, in whatever order its keys were written", () => {
    const document = documentOf([rule("a", "allow")]);
    const reversed = Object.fromEntries(Object.entries(document).toReversed());
    expect(createPolicy(reversed).digest).toBe(createPolicy(document).digest);
    expect(createPolicy(document).digest).toMatch(/^[0-9a-f]{64}$/);
    expect(createPolicy(documentOf([rule("b", "allow")])).digest).not.toBe(createPolicy(document).digest);
  });
});

describe("permits", () => {
  const cases: [rules: object[], dynamicCode: boolean][] = [
    [[rule("a", "allow")], true],
    [[rule("a", "deny", { dynamicCode: true })], false],
    [[rule("a", "deny", { language: "javascript", dynamicCode: true })], false],
    [[rule("a", "deny", { language: "python", dynamicCode: true })], true],
    [[rule("a", "ask", { dynamicCode: true })], false],
    [[rule("a", "deny", { dynamicCode: true, nesting: { over: 3 } })], true],
  ];
  test.each(cases)("under %j dynamic code is permitted: %s", (rules, dynamicCode) => {
    expect(createPolicy(documentOf(rules)).permits("javascript")).toEqual({ dynamicCode });
  });

  test("what a person is asked about is permitted where a person has approved it, and what is denied is not", () => {
    const asking = createPolicy(documentOf([rule("a", "ask", { dynamicCode: true })]));
    expect(asking.permits("javascript", true)).toEqual({ dynamicCode: true });
    const denying = createPolicy(documentOf([rule("a", "deny", { dynamicCode: true })]));
    expect(denying.permits("javascript", true)).toEqual({ dynamicCode: false });
  });

  const imports: [rules: object[], modules: string[] | undefined][] = [
    [[rule("a", "allow")], undefined],
    [[rule("a", "deny", { imports: { noneOf: ["math", "json.*"] } })], ["math", "json.*"]],
    [[rule("a", "deny", { imports: { noneOf: [] } })], []],
    [[rule("a", "deny", { language: "python", imports: { noneOf: ["math"] } })], ["math"]],
    [[rule("a", "deny", { language: "javascript", imports: { noneOf: ["math"] } })], undefined],
    [[rule("a", "deny", { imports: { anyOf: ["os"] } })], undefined],
    [[rule("a", "deny", { imports: { noneOf: ["math"] }, nesting: { over: 3 } })], undefined],
    [
      [
        rule("a", "deny", { imports: { noneOf: ["math", "json.*", "re"] } }),
        rule("b", "deny", { imports: { noneOf: ["math", "json.decoder", "r*"] } }),
      ],
      ["math", "re", "json.decoder"],
    ],
  ];
  test.each(imports)("under %j Python can import %j", (rules, modules) => {
    expect(createPolicy(documentOf(rules)).permits("python").modules).toEqual(modules);
    expect(createPolicy(documentOf(rules)).permits("javascript")).not.toHaveProperty("modules");
  });

  test("modules about which a person is asked can be imported once a person has approved", () => {
    const asking = createPolicy(documentOf([rule("a", "ask", { imports: { noneOf: ["math"] } })]));
    expect(asking.permits("python").modules).toEqual(["math"]);
    expect(asking.permits("python", true)).not.toHaveProperty("modules");
  });

  test("arithmetic from text makes no code, any other exception does", () => {
    const sparing = (noneOf: string[]) => createPolicy(documentOf([rule("a", "deny", { dynamicCode: { noneOf } })]));
    expect(sparing(["eval(expression)"]).permits("python").dynamicCode).toBe(false);
    expect(sparing(["exec"]).permits("python").dynamicCode).toBe(true);
  });

  test("the list of built-in names is the language's own", () => {
    const policy = createPolicy(documentOf([], { builtins: { javascript: ["Math"] } }));
    expect(policy.permits("javascript").globals).toEqual(["Math"]);
    expect(policy.permits("python")).not.toHaveProperty("globals");
  });
});

describe("dryRun", () => {
  test.each(["deny", "ask"] as const)("allows, and says that it would have said %s", (effect) => {
    const policy = createPolicy({ ...documentOf([rule("a", effect, { dynamicCode: true })]), dryRun: true });
    const facts = makeFacts({ manifest: makeManifest({ dynamicCode: ["eval"] }) });
    expect(policy.evaluate(facts)).toEqual({
      effect: "allow",
      reasons: [{ rule: "dry-run", message: expect.stringContaining(effect) }],
      wouldBe: {
        effect,
        reasons: [{ rule: "a", message: "Message of a." }],
      },
    });
    expect(policy.mayAsk).toBe(false);
    expect(policy.permits("javascript")).toEqual({ dynamicCode: true });
  });
});

describe("askInstead", () => {
  const evaluating = makeFacts({ manifest: makeManifest({ dynamicCode: ["eval"], globals: ["eval"] }) });

  test.each(["dynamicCode", "dynamic-code"])("turns the denial of %s into a question, and no other", (name) => {
    const asking = askInstead(createPolicy("standard"), [name]);
    expect(asking.evaluate(evaluating)).toMatchObject({ effect: "ask", reasons: [{ rule: "dynamic-code" }] });
    expect(asking.evaluate(makeFacts({ manifest: makeManifest({ members: ["__proto__"] }) })).effect).toBe("deny");
    expect(asking.mayAsk).toBe(true);
    expect(asking.digest).not.toBe(createPolicy("standard").digest);
  });

  test("refuses a name that the policy denies nothing by", () => {
    expect(() => askInstead(createPolicy("standard"), ["dynamicCod"])).toThrow(
      /ask\[0\]: expected what the policy denies \(.*dynamicCode.*\), got "dynamicCod"/,
    );
  });

  test("asks about the doubt that comes with it, and denies what is known all the same", () => {
    const asking = askInstead(createPolicy("standard"), ["dynamicCode"]);
    const doubtful = { dynamicCode: ["eval"], undetermined: ["imports" as const] };
    const effectOf = (manifest: Partial<Manifest>) =>
      asking.evaluate(makeFacts({ manifest: makeManifest(manifest) })).effect;
    expect(effectOf(doubtful)).toBe("ask");
    expect(effectOf({ ...doubtful, imports: ["fs"] })).toBe("deny");
    expect(effectOf({ undetermined: ["imports"] })).toBe("deny");
  });

  test("keeps rules in TypeScript", () => {
    const base = definePolicy({
      name: "mine",
      extends: "standard",
      rules: [{ id: "no-loops", effect: "deny", when: ({ manifest }) => (manifest?.loops ?? 0) > 0, message: "No." }],
    });
    const asking = askInstead(base, ["dynamicCode"]);
    expect(asking.evaluate(makeFacts({ manifest: makeManifest({ loops: 1 }) })).effect).toBe("deny");
    expect(asking.evaluate(evaluating).effect).toBe("ask");
  });
});
