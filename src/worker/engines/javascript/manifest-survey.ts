/**
 * What one pass over the syntax tree notes down, before any name is resolved.
 * Records only: what they mean is decided in `manifest-collect.ts`.
 */

import type { Reference, Scope } from "./manifest-scope.ts";
import type { Syntax } from "./manifest-syntax.ts";

/**
 * What `this` may be: the global object at the top; in a plain function or an object's method perhaps that;
 * in a class never.
 */
export type Receiver = "top" | "function" | "method" | "class";

/** A member that is read, written or taken apart: `object.key`, `object[key]`, `{ key } = object`. */
export interface Access {
  readonly key: Syntax;
  readonly computed: boolean;
  /** Null where a pattern takes the member from a value that is not named. */
  readonly object: Syntax | null;
  readonly node: Syntax;
  readonly parent: Syntax | null;
  readonly receiver: Receiver;
  readonly write: boolean;
}

export interface Survey {
  readonly scopes: Scope[];
  readonly references: Reference[];
  readonly accesses: Access[];
  /** Every `this` that is not in a class, with where it stands. */
  readonly receivers: { node: Syntax; parent: Syntax | null; receiver: Receiver }[];
  /** Names that the program gives to what is its own: bindings, keys, methods. */
  readonly ownNames: Set<string>;
  /** Static imports and re-exports. */
  readonly modules: string[];
  /** The operands of `import(…)`. */
  readonly dynamicImports: Syntax[];
  hasWith: boolean;
  loops: number;
  nesting: number;
}

export function createSurvey(): Survey {
  return {
    scopes: [],
    references: [],
    accesses: [],
    receivers: [],
    ownNames: new Set(),
    modules: [],
    dynamicImports: [],
    hasWith: false,
    loops: 0,
    nesting: 0,
  };
}
