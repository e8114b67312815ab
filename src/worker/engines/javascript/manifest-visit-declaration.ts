/**
 * The nodes that declare names or open scopes: functions, classes, variables, imports, exports.
 * Answers true where it has seen to all children of the node.
 */

import type { Function as AcornFunction, ArrowFunctionExpression, Class, Identifier, VariableDeclaration } from "acorn";
import { Scope } from "./manifest-scope.ts";
import type { Receiver } from "./manifest-survey.ts";
import { memberName, type Syntax } from "./manifest-syntax.ts";
import { refer, type Visit, type Walk } from "./manifest-visit.ts";

function declareOpaque(walk: Walk, scope: Scope, id: Identifier): void {
  scope.declare(id.name).opaque = true;
  walk.survey.ownNames.add(id.name);
}

function receiverOf(visit: Visit, node: Syntax): Receiver {
  if (visit.receiver === "class" || node.type === "ArrowFunctionExpression") return visit.receiver;
  return visit.parent?.type === "Property" ? "method" : "function";
}

function visitFunction(walk: Walk, visit: Visit, node: (AcornFunction & Syntax) | ArrowFunctionExpression): void {
  const inner = new Scope(walk.survey.scopes, visit.scope, "function");
  if (node.id && node.type === "FunctionDeclaration") {
    declareOpaque(walk, visit.scope, node.id);
    if (visit.scope !== visit.scope.variables) refer(walk, visit.scope.variables, node.id, node, "hoist", "opaque");
  } else if (node.id) declareOpaque(walk, inner, node.id);
  if (node.type !== "ArrowFunctionExpression") inner.declare("arguments");
  const from: Visit = {
    ...visit,
    node,
    parent: node,
    scope: inner,
    into: inner,
    receiver: receiverOf(visit, node),
    role: "read",
  };
  for (const parameter of node.params) walk.push({ ...from, node: parameter, role: "bind" });
  walk.push({ ...from, node: node.body });
}

function visitClass(walk: Walk, visit: Visit, node: Class & Syntax): void {
  const inner = new Scope(walk.survey.scopes, visit.scope, "block");
  if (node.id) {
    declareOpaque(walk, inner, node.id);
    if (node.type === "ClassDeclaration") declareOpaque(walk, visit.scope, node.id);
  }
  const outside: Visit = { ...visit, scope: inner, role: "read" };
  const inside: Visit = { ...outside, receiver: "class", depth: visit.depth + 1 };
  walk.survey.nesting = Math.max(walk.survey.nesting, inside.depth);
  walk.pushAll([node.superClass], outside, node);
  for (const member of node.body.body) {
    if (member.type === "StaticBlock") {
      walk.push({ ...inside, node: member, parent: node });
      continue;
    }
    if (member.computed) walk.push({ ...outside, node: member.key, parent: member });
    const name = memberName(member.key, member.computed);
    if (name !== null) walk.survey.ownNames.add(name);
    if (member.value) walk.push({ ...inside, node: member.value, parent: member });
  }
}

function visitVariables(walk: Walk, visit: Visit, node: VariableDeclaration): void {
  const into = node.kind === "var" ? visit.scope.variables : visit.scope;
  const { parent } = visit;
  const isLoopVariable =
    (parent?.type === "ForInStatement" || parent?.type === "ForOfStatement") && parent.left === node;
  for (const declarator of node.declarations) {
    const { id, init } = declarator;
    if (id.type === "Identifier" && !isLoopVariable) {
      into.declare(id.name);
      walk.survey.ownNames.add(id.name);
      // Assigned by name, not to the variable just declared: in a `catch` block a `var` may write to the parameter.
      if (init) refer(walk, visit.scope, id, declarator, "write", init);
    } else {
      walk.push({ ...visit, node: id, parent: declarator, into, role: "bind" });
      if (id.type === "Identifier") refer(walk, visit.scope, id, declarator, "write", "opaque");
    }
    if (init) walk.push({ ...visit, node: init, parent: declarator, role: "read" });
  }
}

export function visitDeclaration(walk: Walk, visit: Visit): boolean {
  const { node } = visit;
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      visitFunction(walk, visit, node);
      return true;
    case "ClassDeclaration":
    case "ClassExpression":
      visitClass(walk, visit, node);
      return true;
    case "SwitchStatement":
      // Twice: what is switched on stands outside of the scope that the cases share.
      if (visit.parent === node) walk.pushAll(node.cases, visit, node);
      else {
        walk.pushAll([node.discriminant], visit, node);
        walk.push({ ...visit, parent: node });
      }
      return true;
    case "VariableDeclaration":
      visitVariables(walk, visit, node);
      return true;
    case "CatchClause":
      if (node.param) walk.push({ ...visit, node: node.param, parent: node, into: visit.scope, role: "bind" });
      walk.pushAll([node.body], visit, node);
      return true;
    case "ForInStatement":
    case "ForOfStatement":
      walk.push({ ...visit, node: node.left, parent: node, role: "write" });
      walk.pushAll([node.right, node.body], visit, node);
      return true;
    case "ImportDeclaration":
      if (typeof node.source.value === "string") walk.survey.modules.push(node.source.value);
      for (const specifier of node.specifiers) declareOpaque(walk, visit.scope, specifier.local);
      return true;
    case "ExportAllDeclaration":
      if (typeof node.source.value === "string") walk.survey.modules.push(node.source.value);
      return true;
    case "ExportNamedDeclaration":
      if (typeof node.source?.value === "string") walk.survey.modules.push(node.source.value);
      else for (const { local } of node.specifiers) walk.pushAll([local], visit, node);
      walk.pushAll([node.declaration], visit, node);
      return true;
    default:
      return false;
  }
}
