/**
 * Rules in TypeScript: they add to a document, and are not believed when they fail.
 */

import { describe, expect, test } from "vitest";
import { type CodeRule, definePolicy, type PolicyDefinition } from "../../src/policy/define-policy.ts";
import { createPolicy } from "../../src/policy/evaluate.ts";
import { makeFacts, readFacts } from "./facts.ts";

const noLoops: CodeRule = {
  id: "no-loops",
  effect: "deny",
  when: ({ manifest }) => (manifest?.loops ?? 1) > 0,
  message: "No loops.",
};
const define = (more: Partial<PolicyDefinition> = {}) =>
  definePolicy({ name: "mine", extends: "standard", rules: [noLoops], ...more });

describe("definePolicy", () => {
  test("adds a rule beside the document's own", () => {
    const policy = define();
    expect(policy.evaluate(readFacts("1 + 1"))).toMatchObject({ effect: "allow" });
    expect(policy.evaluate(readFacts("for (;;) ;"))).toEqual({
      effect: "deny",
      reasons: [{ rule: "no-loops", message: "No loops." }],
    });
    expect(policy.evaluate(readFacts("require('fs')"))).toMatchObject({ reasons: [{ rule: "imports-javascript" }] });
    expect(policy).toMatchObject({ name: "mine", readsManifest: true });
    expect(policy.permits("javascript")).toEqual({ dynamicCode: false });
  });

  test("cannot allow what the document denies", () => {
    const policy = define({ rules: [{ ...noLoops, id: "all", effect: "allow", when: () => true }] });
    expect(policy.evaluate(readFacts("eval('1')")).effect).toBe("deny");
  });

  test("extends a policy that has such rules, a document, or a policy", () => {
    const twice = definePolicy({
      name: "twice",
      extends: define(),
      rules: [{ ...noLoops, id: "ask", effect: "ask", when: () => true }],
    });
    expect(twice.evaluate(readFacts("1")).effect).toBe("ask");
    expect(twice.evaluate(readFacts("for (;;) ;")).reasons).toEqual([{ rule: "no-loops", message: "No loops." }]);
    expect(define({ extends: createPolicy("strict").document }).permits("javascript").globals).toContain("Math");
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("secret");
      },
    ],
    ["answers later", async () => true],
    ["answers with a text", () => "yes"],
    ["answers with nothing", () => undefined],
  ])("a rule that %s denies and is named, even where it would allow", (_what, when) => {
    const policy = define({
      rules: [{ id: "odd", effect: "allow", when: when as unknown as CodeRule["when"], message: "Odd." }],
    });
    const decision = policy.evaluate(makeFacts());
    expect(decision).toMatchObject({ effect: "deny", reasons: [{ rule: "odd" }] });
    expect(JSON.stringify([decision, policy.explain(makeFacts())])).not.toContain("secret");
  });

  test("its digest covers the base, the name and each rule's text", () => {
    const digests = [
      createPolicy("standard"),
      define(),
      define({ name: "other" }),
      define({ extends: "strict" }),
      define({ rules: [{ ...noLoops, message: "None." }] }),
      define({ rules: [{ ...noLoops, when: () => false }] }),
    ].map(({ digest }) => digest);
    expect(new Set(digests).size).toBe(digests.length);
    expect(define().digest).toBe(define().digest);
  });

  const refusals: [definition: unknown, message: RegExp][] = [
    [undefined, /definePolicy: the document: expected an object, got nothing/],
    [
      { name: "mine", extends: "standard", rules: [{ ...noLoops, when: true }] },
      /rules\[0\]\.when: expected a function, got true/,
    ],
    [
      { name: "mine", extends: "standard", rules: [{ ...noLoops, effect: "block" }] },
      /rules\[0\]\.effect: expected "allow", "deny" or "ask", got "block"/,
    ],
    [
      { name: "mine", extends: "standard", rules: [noLoops, noLoops] },
      /rules\[1\]\.id: expected an id of its own, got "no-loops"/,
    ],
    [
      { name: "mine", extends: "standard", rules: [{ ...noLoops, id: "repeat" }] },
      /rules\[0\]\.id: expected an id of its own, got "repeat"/,
    ],
    [
      { name: "mine", extends: "standard", rules: [{ ...noLoops, id: "default" }] },
      /rules\[0\]\.id: expected an id of its own/,
    ],
    [{ name: "mine", rules: [] }, /definePolicy: extends: expected a preset's name, .*, got nothing/],
    [{ name: "mine", extends: "lenient", rules: [] }, /policy: expected "strict"/],
    [
      { name: "mine", extends: "standard", rule: [], rules: [] },
      /expected only "name", "extends" or "rules", got "rule"/,
    ],
  ];
  test.each(refusals)("%j is refused by name", (definition, message) => {
    expect(() => definePolicy(definition as PolicyDefinition)).toThrow(message);
  });
});
