/**
 * What is told of the rules that decided: the same of a question as of a denial, what is named before what is doubted,
 * and no rule's words where nothing that the rule is about was found.
 */

import { describe, expect, test } from "vitest";
import { askInstead } from "../../src/policy/ask-instead.ts";
import { createPolicy } from "../../src/policy/evaluate.ts";
import { reasonsToTell } from "../../src/policy/reasons.ts";
import type { Manifest } from "../../src/types.ts";
import { makeFacts, makeManifest, readFacts } from "./facts.ts";

const ONLY_THESE = "Only these modules of the standard library can be imported";
const DOUBT = "This could not be ruled out: imports that are not written down in the program.";

const factsOf = (manifest: Partial<Manifest>) =>
  makeFacts({ language: "python", manifest: makeManifest({ language: "python", dialect: "python", ...manifest }) });
const EXEC = factsOf({ dynamicCode: ["exec"], globals: ["exec"], undetermined: ["imports", "globals", "members"] });
const OS = factsOf({ imports: ["os"], undetermined: ["globals", "members"] });
const standard = createPolicy("standard");

describe("a question", () => {
  test("names first what the code says, and tells what is doubted in words of its own", () => {
    const { effect, reasons } = askInstead(standard, ["dynamicCode"]).evaluate(EXEC);
    expect(effect).toBe("ask");
    expect(reasons).toEqual([
      { rule: "dynamic-code", message: expect.stringMatching(/^Asked because of: exec\. Making code from text/) },
      { rule: "imports-python", message: DOUBT, possible: true },
    ]);
  });

  test("names the module that is asked about", () => {
    const { effect, reasons } = askInstead(standard, ["imports"]).evaluate(OS);
    expect(effect).toBe("ask");
    expect(reasons).toEqual([
      {
        rule: "imports-python",
        message: expect.stringMatching(new RegExp(`^Asked because of: os\\. .*${ONLY_THESE}`)),
      },
    ]);
  });

  test("names everything that is asked about, and says how many names it does not repeat", () => {
    const imports = [...Array.from("abcdefgh"), "/etc/passwd"];
    const asking = askInstead(standard, ["imports"]);
    const begin = (...found: string[]) =>
      asking.evaluate(factsOf({ imports: found })).reasons[0]?.message.split(". ")[0];
    expect(begin(...imports)).toBe("Asked because of: a, b, c, d, e, f, g, h and 1 name that is not repeated here");
    expect(begin("./a", "./b")).toBe("Asked because of: 2 names that are not repeated here");
    expect(begin(...Array.from({ length: 102 }, (_, index) => `m${index}`))).toMatch(/, m99 and 2 more$/);
  });

  test("about nothing but a doubt lists no modules", () => {
    const asking = askInstead(standard, ["imports"]);
    expect(asking.evaluate(factsOf({ undetermined: ["imports"] }))).toEqual({
      effect: "ask",
      reasons: [{ rule: "imports-python", message: DOUBT, possible: true }],
    });
  });

  test("of somebody's own document is in the words of its author", () => {
    const { $schema: _none, ...document } = standard.document;
    const rules = document.rules.map((rule) => (rule.id === "imports-python" ? { ...rule, message: "Mine." } : rule));
    const asking = askInstead(createPolicy({ ...document, rules }), ["imports", "dynamicCode"]);
    expect(asking.evaluate(OS).reasons).toEqual([{ rule: "imports-python", message: "Mine." }]);
    expect(asking.evaluate(EXEC).reasons.at(-1)?.message).toBe("This could not be ruled out: Mine.");
  });

  test("is not put about what a rule that stays a denial only doubts, where nothing is asked about", () => {
    const asking = askInstead(standard, ["dynamicCode"]);
    const { effect, reasons } = asking.evaluate(factsOf({ undetermined: ["imports"] }));
    expect(effect).toBe("deny");
    expect(reasons[0]?.message).toContain(ONLY_THESE);
  });
});

describe("what is told of several policies", () => {
  const [certain, doubt] = [
    { rule: "a", message: "A." },
    { rule: "b", message: "B.", possible: true as const },
  ];

  test("has what is certain first, whichever gave it", () => {
    expect(reasonsToTell({ effect: "ask", reasons: [doubt, certain] })).toEqual([certain, doubt]);
  });
});

describe("a denial", () => {
  test("tells of the same rules in the same order", () => {
    expect(standard.evaluate(EXEC).reasons).toEqual([
      { rule: "dynamic-code", message: expect.stringMatching(/^Refused: exec\. Making code from text/) },
      { rule: "imports-python", message: DOUBT, possible: true },
    ]);
  });

  test("for a doubt alone says what the rule says: there is nothing else to act on", () => {
    const [reason] = createPolicy("strict").evaluate(readFacts("const a = {}; a[input]")).reasons;
    expect(reason?.message).toMatch(/^This could not be ruled out: .*Instead of obj\[key\] use a Map/);
  });

  test("tells no doubt beside what is certain", () => {
    expect(reasonsToTell(standard.evaluate(EXEC)).map(({ rule }) => rule)).toEqual(["dynamic-code"]);
    const asking = askInstead(standard, ["dynamicCode"]).evaluate(EXEC);
    expect(reasonsToTell(asking).map(({ rule }) => rule)).toEqual(["dynamic-code", "imports-python"]);
  });

  test.each([
    ['import x from "node:fs"; x', "Refused: node:fs. "],
    ['import x from "node:fs/promises"; x', "Refused: node:fs/promises. "],
    ['import x from "lodash"; x', "Refused: lodash. "],
    ['import x from "node:/etc/passwd"; x', "No module"],
    ["setTimeout('1')", "Refused: setTimeout(text). "],
  ])("of %s begins with %s", (source, beginning) => {
    const [reason] = standard.evaluate(readFacts(source)).reasons;
    expect(reason?.message.slice(0, beginning.length)).toBe(beginning);
  });

  test.each([
    [
      "annotations",
      "Refused: annotations, which may be run as code (get_type_hints, singledispatch, dataclass and kin). ",
    ],
    ["eval(expression)", "Refused: eval. "],
  ])("of %s says %s", (name, beginning) => {
    const facts = factsOf({ dynamicCode: [name], undetermined: ["globals", "members"] });
    const [reason] = createPolicy("strict").evaluate(facts).reasons;
    expect(reason?.message.slice(0, beginning.length)).toBe(beginning);
  });
});

describe("what explain says of a rule that is not about what was found", () => {
  test.each<[manifest: Partial<Manifest>, why: string]>([
    [{ imports: ["statistics"] }, "imports: only statistics, which this rule is not about"],
    [{}, "imports: none"],
  ])("%j: %s", (manifest, why) => {
    expect(standard.explain(factsOf(manifest)).find(({ rule }) => rule === "imports-python")?.why).toBe(why);
  });
});
