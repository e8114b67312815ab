/**
 * The evasions again, in other clothes: what surrounds a program must not hide what it does.
 * A case that means something else inside a function or class, because of `this`, is left out by name.
 */

import { describe, expect, test } from "vitest";
import { createPolicy } from "../../src/policy/evaluate.ts";
import { inspectJavaScript } from "../../src/worker/engines/javascript/inspect.ts";
import { readFacts } from "./facts.ts";
import { EVASIONS, holds } from "./fixtures/evasions.ts";

interface Shape {
  name: string;
  wrap: (source: string) => string;
  /** Titles for which the shape changes the meaning of the program. */
  except?: RegExp;
}

/** A module's statement, or a program whose first line is a directive, stands at the top or means something else. */
const AT_THE_TOP = /exported from|behind a block's function/;
const USES_THIS = /`this`|put in its place|handed to a hook/;
/** In a class `with` and the oddities of old are no syntax, and a function's `this` is not the global object. */
const SLOPPY_ONLY =
  /scope made of an object|for-in loop|middle of an expression|an undefined that is not|that is `arguments`|handed out by a function/;

const both = (...parts: RegExp[]) => new RegExp(parts.map(({ source }) => source).join("|"));

const SHAPES: Shape[] = [
  { name: "after other statements", wrap: (source) => `const first = 1; first;\n${source}` },
  { name: "before other statements", wrap: (source) => `${source}\n;[1, 2].map((x) => x * 2);` },
  { name: "after a long comment", wrap: (source) => `/* ${"nothing to see here ".repeat(100)} */ ${source}` },
  {
    name: "as TypeScript",
    wrap: (source) => `const typed: number = 1; interface Shape { x: number }\n${source}`,
    except: /scope made of an object/,
  },
  { name: "in a block", wrap: (source) => `{ ${source} }`, except: AT_THE_TOP },
  { name: "in a branch that is never taken", wrap: (source) => `if (false) { ${source} }`, except: AT_THE_TOP },
  { name: "in a loop", wrap: (source) => `for (let turn = 0; turn < 1; turn++) { ${source} }`, except: AT_THE_TOP },
  { name: "in a label", wrap: (source) => `label: { ${source} }`, except: AT_THE_TOP },
  { name: "in a try", wrap: (source) => `try { ${source} } catch {}`, except: AT_THE_TOP },
  { name: "in a finally", wrap: (source) => `try {} finally { ${source} }`, except: AT_THE_TOP },
  { name: "in a switch", wrap: (source) => `switch (1) { default: { ${source} } }`, except: AT_THE_TOP },
  { name: "in an arrow function", wrap: (source) => `(async () => { ${source} })();`, except: AT_THE_TOP },
  {
    name: "in a function",
    wrap: (source) => `(async function () { ${source} })();`,
    except: both(AT_THE_TOP, USES_THIS),
  },
  {
    name: "in a parameter's default",
    wrap: (source) => `((a = async () => { ${source} }) => a())();`,
    except: AT_THE_TOP,
  },
  {
    name: "in a method",
    wrap: (source) => `({ async run() { ${source} } }).run();`,
    except: both(AT_THE_TOP, USES_THIS),
  },
  {
    name: "in a class's static block",
    wrap: (source) => `class Hidden { static { (async () => { ${source} })(); } }`,
    except: both(AT_THE_TOP, USES_THIS, SLOPPY_ONLY),
  },
  {
    name: "in a class's field",
    wrap: (source) => `class Hidden { run = async () => { ${source} }; }`,
    except: both(AT_THE_TOP, USES_THIS, SLOPPY_ONLY),
  },
  { name: "in a template", wrap: (source) => `\`\${(async () => { ${source} })()}\`;`, except: AT_THE_TOP },
  {
    name: "in a getter's default",
    wrap: (source) => `const { a = async () => { ${source} } } = {};`,
    except: AT_THE_TOP,
  },
];

describe.each(SHAPES)("$name", ({ wrap, except }) => {
  const cases = EVASIONS.filter(([title]) => except === undefined || !except.test(title));

  test("most of the evasions are tried", () => {
    expect(cases.length).toBeGreaterThan(85);
  });

  test("every one is still named or left open", () => {
    const missed = cases.filter(([, source, expected]) => {
      const manifest = inspectJavaScript(wrap(source));
      return manifest.syntaxError !== undefined || !holds(manifest, expected);
    });
    expect(
      missed.map(([title, source]) => [title, inspectJavaScript(wrap(source)).syntaxError?.message, wrap(source)]),
    ).toEqual([]);
  });

  test("every one is still refused by the strict policy", () => {
    const strict = createPolicy("strict");
    expect(cases.filter(([, source]) => strict.evaluate(readFacts(wrap(source))).effect !== "deny")).toEqual([]);
  });
});
