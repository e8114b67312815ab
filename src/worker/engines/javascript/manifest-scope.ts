/**
 * Scopes, the names that are declared in them, and which mention of a name means which declaration.
 * Must stay linear in the size of the program, whatever its shape, and never use a plain object as a dictionary.
 */

import type { Identifier } from "acorn";
import type { Syntax } from "./manifest-syntax.ts";

/** A declared name. `opaque`: something is put into it that the numeric inference does not follow. */
export interface Binding {
  opaque: boolean;
  /** What is assigned to it, as far as that is an expression. */
  readonly values: Syntax[];
}

export interface Reference {
  readonly name: string;
  readonly node: Identifier;
  readonly parent: Syntax | null;
  /** `hoist` is no mention: a function in a block that becomes a variable of the function around it. */
  readonly kind: "read" | "write" | "hoist";
  /** What is written: an expression, a number whatever stands there, or something that is not followed. */
  readonly value: Syntax | "number" | "opaque" | null;
  /** Set by `resolveReferences`; null is a global. */
  binding: Binding | null;
}

export class Scope {
  readonly names = new Map<string, Binding>();
  readonly references: Reference[] = [];
  readonly parent: Scope | null;
  /** Where `var` goes. */
  readonly variables: Scope;
  /** Index of the last scope inside this one. */
  last: number;

  constructor(scopes: Scope[], parent: Scope | null, kind: "function" | "block") {
    this.parent = parent;
    this.variables = kind === "function" || parent === null ? this : parent.variables;
    this.last = scopes.length;
    scopes.push(this);
  }

  declare(name: string): Binding {
    const known = this.names.get(name);
    if (known !== undefined) return known;
    // A `var` named as a parameter begins with the parameter's value; `arguments` is there without a declaration.
    const opaque = name === "arguments" || (this.variables === this && this.parent?.names.has(name) === true);
    const binding: Binding = { opaque, values: [] };
    this.names.set(name, binding);
    return binding;
  }
}

/** Gives every reference its binding. `scopes` is in the order of the source: the inside of a scope follows it at once. */
export function resolveReferences(scopes: readonly Scope[]): void {
  for (let index = scopes.length - 1; index >= 0; index--) {
    const scope = scopes[index];
    if (scope?.parent) scope.parent.last = Math.max(scope.parent.last, scope.last);
  }
  const visible = new Map<string, Binding[]>();
  const open: Scope[] = [];
  for (const [index, scope] of scopes.entries()) {
    for (let top = open.at(-1); top !== undefined && top.last < index; top = open.at(-1)) {
      for (const name of top.names.keys()) visible.get(name)?.pop();
      open.pop();
    }
    open.push(scope);
    for (const [name, binding] of scope.names) {
      const stack = visible.get(name);
      if (stack === undefined) visible.set(name, [binding]);
      else stack.push(binding);
    }
    for (const reference of scope.references) resolve(reference, visible.get(reference.name)?.at(-1) ?? null);
  }
}

function resolve(reference: Reference, binding: Binding | null): void {
  reference.binding = binding;
  if (binding === null || reference.value === null || reference.value === "number") return;
  if (reference.value === "opaque") binding.opaque = true;
  else binding.values.push(reference.value);
}
