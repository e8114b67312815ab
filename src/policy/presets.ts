/**
 * The policies that come with the product: strict, standard and allow-all.
 * Documents like any other, checked by the same schema. Messages are written for a model: what is refused, what to do.
 */

import { LANGUAGES } from "../languages.ts";
import type { PolicyDocument, PolicyRule } from "./document.ts";
import {
  EVERYDAY_PYTHON_DUNDERS,
  EVERYDAY_PYTHON_GLOBALS,
  JAVASCRIPT_DUNDERS,
  PARTLY_PURE_PYTHON_MODULES,
  PURE_PYTHON_MODULES,
  PYTHON_FRAMES,
  STRICT_JAVASCRIPT_GLOBALS,
  STRICT_PYTHON_BUILTINS,
} from "./preset-names.ts";
import { EVAL_OF_EXPRESSION } from "./rules/dynamic-code.ts";

const STRICT_SOURCE_CHARS = 4000;

const COMMON = {
  version: 1,
  defaultEffect: "deny",
  languages: [...LANGUAGES],
  tools: ["run_javascript_sandboxed", "run_python_sandboxed"],
} as const satisfies Partial<PolicyDocument>;

const ALLOW: PolicyRule = { id: "allow", effect: "allow", when: {}, message: "No rule is against it." };

const NO_DYNAMIC_CODE: PolicyRule = {
  id: "dynamic-code",
  effect: "deny",
  when: { dynamicCode: true },
  message: "Making code from text is refused (eval, Function, exec, compile and kin): write the code out.",
};

const STRICT: PolicyDocument = {
  ...COMMON,
  name: "strict",
  builtins: { javascript: [...STRICT_JAVASCRIPT_GLOBALS], python: [...STRICT_PYTHON_BUILTINS] },
  rules: [
    {
      id: "source-chars",
      effect: "deny",
      when: { sourceChars: { over: STRICT_SOURCE_CHARS } },
      message: `The program is longer than ${STRICT_SOURCE_CHARS} characters: send a shorter one.`,
    },
    {
      id: "imports",
      effect: "deny",
      when: { imports: { noneOf: [] } },
      message: "No module can be loaded: there is no import and no require. Write what you need yourself.",
    },
    {
      id: "private-javascript",
      effect: "deny",
      when: { language: "javascript", privateAccess: true },
      message:
        "Refused: names that begin with _, `constructor`, and computed names, which could be one. Instead of obj[key] use a Map, obj.name, or arr[+index].",
    },
    {
      id: "private-python",
      effect: "deny",
      when: { language: "python", privateAccess: true },
      message: "Names and attributes that begin with an underscore are refused: use other names.",
    },
    NO_DYNAMIC_CODE,
    {
      id: "globals-javascript",
      effect: "deny",
      when: { language: "javascript", globals: { noneOf: [...STRICT_JAVASCRIPT_GLOBALS] } },
      message: `The only globals: ${STRICT_JAVASCRIPT_GLOBALS.join(", ")}. Declare others with let or const.`,
    },
    {
      id: "globals-python",
      effect: "deny",
      when: { language: "python", globals: { noneOf: [...STRICT_PYTHON_BUILTINS, "input", "result"] } },
      message: `The only built-in functions: ${STRICT_PYTHON_BUILTINS.join(", ")}. The data is in input.`,
    },
    ALLOW,
  ],
};

const STANDARD: PolicyDocument = {
  ...COMMON,
  name: "standard",
  rules: [
    {
      id: "imports-javascript",
      effect: "deny",
      when: { language: "javascript", imports: { noneOf: [] } },
      message:
        "No module can be loaded: there is no import and no require. Use the language's own globals; data comes in `input`.",
    },
    {
      id: "imports-python",
      effect: "deny",
      when: {
        language: "python",
        imports: {
          noneOf: [...PURE_PYTHON_MODULES.flatMap((name) => [name, `${name}.*`]), ...PARTLY_PURE_PYTHON_MODULES],
        },
      },
      message: `Only these modules of the standard library can be imported: ${PURE_PYTHON_MODULES.join(", ")}; and of ${PARTLY_PURE_PYTHON_MODULES.join(", ")} what leads to no modules, frames or hooks. Third-party packages are not there.`,
    },
    {
      id: "dunders-javascript",
      effect: "deny",
      // Computed names are everyday JavaScript, and dynamic code is gone at run time as well.
      when: { language: "javascript", members: { anyOf: [...JAVASCRIPT_DUNDERS], unknown: "ignore" } },
      message: "`__proto__` and kin are refused: use Object.create, Object.getPrototypeOf or Object.defineProperty.",
    },
    {
      id: "dunders-python",
      effect: "deny",
      when: {
        language: "python",
        members: { anyOf: ["__*"], noneOf: [...EVERYDAY_PYTHON_DUNDERS], unknown: "ignore" },
      },
      message:
        "Attributes like __globals__, __subclasses__ or __code__ are refused: use the public interface of the value.",
    },
    {
      id: "dunder-globals-python",
      effect: "deny",
      when: {
        language: "python",
        globals: { anyOf: ["__*"], noneOf: [...EVERYDAY_PYTHON_GLOBALS], unknown: "ignore" },
      },
      message: "Names like __import__ and __builtins__ are refused: write `import module`, and call built-ins by name.",
    },
    {
      id: "files-python",
      effect: "deny",
      when: { language: "python", globals: { anyOf: ["open"], unknown: "ignore" } },
      message: "There are no files here, so open() is refused: data comes in `input`, text goes out with print().",
    },
    {
      id: "frames-python",
      effect: "deny",
      when: { language: "python", members: { anyOf: [...PYTHON_FRAMES], unknown: "ignore" } },
      message: "Frames and code objects are refused (gi_frame, tb_frame, f_globals, f_back and kin).",
    },
    { ...NO_DYNAMIC_CODE, when: { dynamicCode: { noneOf: [EVAL_OF_EXPRESSION] } } },
    {
      id: "repeat",
      effect: "deny",
      when: { repeat: { failures: 2 } },
      message: "This very program has failed twice: read the errors and change it before calling again.",
    },
    ALLOW,
  ],
};

const ALLOW_ALL: PolicyDocument = { ...COMMON, name: "allow-all", rules: [ALLOW] };

export const PRESET_NAMES = ["strict", "standard", "allow-all"] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

export const PRESETS: ReadonlyMap<string, PolicyDocument> = new Map(
  [STRICT, STANDARD, ALLOW_ALL].map((document) => [document.name, document]),
);
