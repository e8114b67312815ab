/**
 * Turns a program into the body of an async function that also tells its value: the last expression is kept in a slot,
 * and a binding named `result` can be read at the end. Edits are by position; the program's own text is not rewritten.
 */

import type { ExpressionStatement, Node, Program } from "acorn";
import { childNodes } from "./child-nodes.ts";
import type { Parsed, Position } from "./parse.ts";

export interface Instrumented {
  body: string;
  /** A name around the async function, absent from the program, that holds its values. */
  slot: string;
  /** Another, that stands in the program for `import` where it is called. */
  importer: string;
  /** From a 1-based position in the compiled function to the one in the source. */
  sourcePosition(position: Position): Position;
}

/** The function constructor puts two lines before a body, and the guest one more. */
const HEADER_LINES = 3;

/** Where stacks point to; a comment after the program names it, whatever the program names itself. */
export const SOURCE_URL = "sallyport-program.js";

export function instrument(parsed: Parsed): Instrumented {
  const { program } = parsed;
  const { code, importer } = replaceImports(parsed);
  let slot = "$value";
  while (code.includes(slot)) slot += "_";
  const last = lastExpression(program);
  const prefix = `${slot}.last=(`;
  const wrapped = last
    ? `${code.slice(0, last.start)}${prefix}${code.slice(last.start, last.end)})${code.slice(last.end)}`
    : code;
  const reader = bindsResult(program) ? `${slot}.result=()=>result;` : "";
  const insertedAt = last ? positionAt(code, last.start) : null;
  return {
    slot,
    importer,
    body: `${wrapped}\n;${reader}return ${slot}\n//# sourceURL=${SOURCE_URL}`,
    sourcePosition({ line, column }) {
      const at = { line: line - HEADER_LINES, column };
      if (insertedAt && at.line === insertedAt.line && column > insertedAt.column) {
        at.column = Math.max(insertedAt.column, column - prefix.length);
      }
      return parsed.sourcePosition(at);
    },
  };
}

/** `import(…)` calls a function of ours, which says why there is nothing to import. As long as the word, so that no place moves. */
function replaceImports({ code, program }: Parsed): { code: string; importer: string } {
  const importer = IMPORTERS.find((name) => !code.includes(name));
  if (importer === undefined || !code.includes("import")) return { code, importer: importer ?? "" };
  let replaced = code;
  const pending: Node[] = [program];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { type, start } = node;
    if (type === "ImportExpression") {
      replaced = `${replaced.slice(0, start)}${importer}${replaced.slice(start + importer.length)}`;
    }
    pending.push(...childNodes(node));
  }
  return { code: replaced, importer };
}

const IMPORTERS = [..."_$abcdefghijklmnopqrstuvwxyz"].map((letter) => `$load${letter}`);

function positionAt(code: string, offset: number): Position {
  const before = code.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function lastExpression(program: Program): Node | null {
  const last = program.body.at(-1);
  if (last?.type !== "ExpressionStatement") return null;
  return (last as ExpressionStatement & { directive?: string }).directive === "use strict" ? null : last.expression;
}

/** Whether `result` is a variable of the program's top level: declared there, or by a `var` in a nested statement. */
function bindsResult(program: Program): boolean {
  const pending: { node: Node; isTop: boolean }[] = program.body.map((node) => ({ node, isTop: true }));
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const { node, isTop } = entry;
    if (node.type === "VariableDeclaration") {
      const declaration = node as Node & { kind: string; declarations: { id: Node }[] };
      const counts = isTop || declaration.kind === "var";
      if (counts && declaration.declarations.some(({ id }) => patternBinds(id))) return true;
    } else if (/Statement$|^SwitchCase$|^CatchClause$/.test(node.type) && node.type !== "ExpressionStatement") {
      for (const child of childNodes(node)) pending.push({ node: child, isTop: false });
    }
  }
  return false;
}

function patternBinds(pattern: Node): boolean {
  const pending: Node[] = [pattern];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === "Identifier" && (node as Node & { name: string }).name === "result") return true;
    if (node.type === "AssignmentPattern") pending.push((node as Node & { left: Node }).left);
    else if (node.type === "Property") pending.push((node as Node & { value: Node }).value);
    else if (node.type !== "Identifier") pending.push(...childNodes(node));
  }
  return false;
}
