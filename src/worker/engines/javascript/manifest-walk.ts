/**
 * Walks a program once and notes what it declares and mentions.
 * Uses a stack of its own: no recursion, so that no depth of nesting overflows it.
 */

import type { Program } from "acorn";
import { Scope } from "./manifest-scope.ts";
import { createSurvey, type Survey } from "./manifest-survey.ts";
import { childrenOf, type Syntax } from "./manifest-syntax.ts";
import type { Visit, Walk } from "./manifest-visit.ts";
import { visitDeclaration } from "./manifest-visit-declaration.ts";
import { visitExpression } from "./manifest-visit-expression.ts";

const LOOPS = new Set(["ForStatement", "ForInStatement", "ForOfStatement", "WhileStatement", "DoWhileStatement"]);
const BLOCKS = new Set(["BlockStatement", "ForStatement", "ForInStatement", "ForOfStatement", "CatchClause"]);
const BRACKETS = new Set([
  "BlockStatement",
  "StaticBlock",
  "SwitchCase",
  "ArrayExpression",
  "ObjectExpression",
  "ArrayPattern",
  "ObjectPattern",
]);

/** The block of a function, or of a class, is where its `var` goes. */
function scopeKind({ node, parent }: Visit): "function" | "block" | null {
  if (node.type === "StaticBlock") return "function";
  if (node.type === "SwitchStatement") return parent === node ? "block" : null;
  if (!BLOCKS.has(node.type)) return null;
  return parent !== null && "params" in parent ? "function" : "block";
}

/** What every node has in common: loops and nesting are counted, blocks open a scope. */
function enter(survey: Survey, visit: Visit): Visit {
  const { node } = visit;
  if (LOOPS.has(node.type)) survey.loops++;
  const depth = BRACKETS.has(node.type) ? visit.depth + 1 : visit.depth;
  if (depth > survey.nesting) survey.nesting = depth;
  const kind = scopeKind(visit);
  return { ...visit, depth, scope: kind === null ? visit.scope : new Scope(survey.scopes, visit.scope, kind) };
}

export function surveyProgram(program: Program): Survey {
  const survey = createSurvey();
  const stack: Visit[] = [];
  let found: Visit[] = [];
  const walk: Walk = {
    survey,
    push: (visit) => void found.push(visit),
    pushAll(nodes: Iterable<Syntax | null | undefined>, from, parent) {
      for (const node of nodes) if (node) found.push({ ...from, node, parent, role: "read" });
    },
  };
  const scope = new Scope(survey.scopes, null, "function");
  walk.pushAll(
    program.body,
    { node: program, parent: null, scope, into: scope, receiver: "top", depth: 0, role: "read" },
    program,
  );
  do {
    for (let next = found.pop(); next !== undefined; next = found.pop()) stack.push(next);
    const visit = stack.pop();
    if (visit === undefined) break;
    found = [];
    const entered = enter(survey, visit);
    if (visitDeclaration(walk, entered) || visitExpression(walk, entered)) continue;
    walk.pushAll(childrenOf(entered.node), entered, entered.node);
  } while (stack.length + found.length > 0);
  return survey;
}
