/**
 * Mends the enums that sucrase writes: it maps every computed value back to its name, TypeScript maps numbers alone.
 * `S[S["B"] = value] = "B"` becomes a test of the value; nothing else of the code is touched.
 */

import type { Node, Program } from "acorn";
import { childNodes } from "./child-nodes.ts";

interface Member extends Node {
  object: Node & { name?: string };
  property: Node & { value?: unknown };
  computed: boolean;
}

interface Assignment extends Node {
  operator: string;
  left: Node;
  right: Node & { value?: unknown };
}

interface Edit {
  at: number;
  removed: number;
  text: string;
}

export interface MendedEnums {
  code: string;
  /** From a 1-based position in `code` to the one in the code that was mended. */
  before(position: { line: number; column: number }): { line: number; column: number };
}

/** Null where there is nothing to mend. */
export function mendEnums(code: string, program: Program): MendedEnums | null {
  const edits: Edit[] = [];
  const pending: Node[] = [program];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const name = enumOf(node);
    if (name !== null) for (const statement of bodyOf(node)) edits.push(...editsOf(code, name, statement));
    pending.push(...childNodes(node));
  }
  if (edits.length === 0) return null;
  edits.sort((a, b) => a.at - b.at);
  let from = 0;
  let mended = "";
  for (const { at, removed, text } of edits) {
    mended += code.slice(from, at) + text;
    from = at + removed;
  }
  return { code: mended + code.slice(from), before: createPositions(code, edits) };
}

/** `(function (S) { … })(S || (S = {}))` is the enum S. */
function enumOf(node: Node): string | null {
  if (node.type !== "CallExpression") return null;
  const { callee, arguments: given } = node as Node & { callee: Node; arguments: Node[] };
  if (callee.type !== "FunctionExpression" || given.length !== 1 || given[0]?.type !== "LogicalExpression") return null;
  const [parameter] = (callee as Node & { params: (Node & { name?: string })[] }).params;
  const { left } = given[0] as Node & { left: Node & { name?: string } };
  return parameter?.name !== undefined && parameter.name === left.name ? parameter.name : null;
}

function bodyOf(call: Node): Node[] {
  return (call as Node & { callee: { body: { body: Node[] } } }).callee.body.body;
}

function isMemberOf(name: string, node: Node): node is Member {
  const member = node as Member;
  return node.type === "MemberExpression" && member.computed && member.object.name === name;
}

/** The edits of one `S[S["B"] = value] = "B"`; none for another statement. */
function editsOf(code: string, name: string, statement: Node): Edit[] {
  const outer = (statement as Node & { expression?: Assignment }).expression;
  if (statement.type !== "ExpressionStatement" || outer?.type !== "AssignmentExpression") return [];
  if (!isMemberOf(name, outer.left) || outer.left.property.type !== "AssignmentExpression") return [];
  const inner = outer.left.property as Node as Assignment;
  if (!isMemberOf(name, inner.left) || inner.left.property.value !== outer.right.value) return [];
  const member = code.slice(inner.left.start, inner.left.end);
  const key = code.slice(outer.right.start, outer.right.end);
  return [
    { at: outer.start, removed: inner.start - outer.start, text: "typeof(" },
    { at: inner.end, removed: outer.end - inner.end, text: `)==="string"||(${name}[${member}]=${key})` },
  ];
}

function createPositions(code: string, edits: readonly Edit[]): MendedEnums["before"] {
  return ({ line, column }) => {
    let start = 0;
    for (let at = 1; at < line; at++) start = code.indexOf("\n", start) + 1;
    const end = code.indexOf("\n", start);
    let before = column;
    for (const { at, removed, text } of edits) {
      if (at < start || (end >= 0 && at > end)) continue;
      const editedAt = at - start + 1;
      if (before <= editedAt) break;
      before = Math.max(editedAt, before + removed - text.length);
    }
    return { line, column: before };
  };
}
