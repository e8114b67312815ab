/**
 * Reading the syntax tree that acorn makes: children of any node, and names that are written out in the source.
 * Must not follow bindings or judge what it finds.
 */

import type { AnyNode } from "acorn";

export type Syntax = AnyNode;

function isSyntax(value: unknown): value is Syntax {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** Children in the order of the source. */
export function childrenOf(node: Syntax): Syntax[] {
  const children: Syntax[] = [];
  for (const value of Object.values(node)) {
    // One by one: a spread of a very long array overflows the stack.
    if (Array.isArray(value)) for (const item of value) isSyntax(item) && children.push(item);
    else if (isSyntax(value)) children.push(value);
  }
  return children;
}

/** The text of a string literal, or of a template without expressions; otherwise null. */
export function literalText(node: Syntax | undefined): string | null {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral" && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? null;
  return null;
}

/** The name under which a member is read, written or defined; null where it is computed or `#private`. */
export function memberName(key: Syntax, computed: boolean): string | null {
  if (!computed && key.type === "Identifier") return key.name;
  return literalText(key);
}

/** A key that is a primitive literal but no string: an index, say. Such a name is of no interest to a policy. */
export function isPlainKey(key: Syntax): boolean {
  return key.type === "PrivateIdentifier" || (key.type === "Literal" && typeof key.value !== "string" && !key.regex);
}
