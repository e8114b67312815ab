/**
 * The nodes that mention names: identifiers, members, assignments, patterns, `this`, `import(…)`, `with`.
 * Answers true where it has seen to all children of the node.
 */

import type { AssignmentExpression, ObjectExpression, ObjectPattern } from "acorn";
import type { Reference } from "./manifest-scope.ts";
import { memberName } from "./manifest-syntax.ts";
import { refer, type Visit, type Walk } from "./manifest-visit.ts";

function visitAssignment(walk: Walk, visit: Visit, node: AssignmentExpression): void {
  if (node.left.type === "Identifier") refer(walk, visit.scope, node.left, node, "write", assignedValue(node));
  else walk.push({ ...visit, node: node.left, parent: node, role: "write" });
  walk.push({ ...visit, node: node.right, parent: node, role: "read" });
}

/** `+=` is a number where both sides are: the left one is the binding itself. */
function assignedValue({ operator, right }: AssignmentExpression): Reference["value"] {
  return operator === "=" || operator === "+=" || /^(?:&&|\|\||\?\?)=$/.test(operator) ? right : "number";
}

function visitPattern(walk: Walk, visit: Visit, node: ObjectPattern): void {
  for (const property of node.properties) {
    if (property.type === "RestElement") {
      walk.push({ ...visit, node: property.argument, parent: property });
      continue;
    }
    const { key, computed } = property;
    const { receiver } = visit;
    walk.survey.accesses.push({ key, computed, object: null, node: property, parent: node, receiver, write: false });
    if (computed) walk.push({ ...visit, node: key, parent: property, role: "read" });
    walk.push({ ...visit, node: property.value, parent: property });
  }
}

function visitObject(walk: Walk, visit: Visit, node: ObjectExpression): void {
  for (const property of node.properties) {
    if (property.type === "SpreadElement") {
      walk.push({ ...visit, node: property, parent: node, role: "read" });
      continue;
    }
    const { key, computed, value } = property;
    const name = memberName(key, computed);
    if (computed) walk.push({ ...visit, node: key, parent: property, role: "read" });
    if (name !== null) walk.survey.ownNames.add(name);
    if (name === "__proto__" && !computed && !property.shorthand && !property.method && property.kind === "init") {
      // Not a key of its own: it sets the prototype.
      const { receiver } = visit;
      walk.survey.accesses.push({ key, computed, object: node, node: property, parent: node, receiver, write: true });
    }
    walk.push({ ...visit, node: value, parent: property, role: "read" });
  }
}

export function visitExpression(walk: Walk, visit: Visit): boolean {
  const { node, parent, receiver } = visit;
  const { survey } = walk;
  switch (node.type) {
    case "Identifier":
      if (visit.role === "bind") {
        visit.into.declare(node.name).opaque = true;
        survey.ownNames.add(node.name);
      } else refer(walk, visit.scope, node, parent, visit.role, visit.role === "write" ? "opaque" : null);
      return true;
    case "MemberExpression": {
      const { object, property: key, computed } = node;
      survey.accesses.push({ key, computed, object, node, parent, receiver, write: visit.role === "write" });
      walk.push({ ...visit, node: object, parent: node, role: "read" });
      if (computed) walk.push({ ...visit, node: key, parent: node, role: "read", depth: visit.depth + 1 });
      return true;
    }
    case "AssignmentExpression":
      visitAssignment(walk, visit, node);
      return true;
    case "UpdateExpression":
      if (node.argument.type === "Identifier") refer(walk, visit.scope, node.argument, node, "write", "number");
      else walk.push({ ...visit, node: node.argument, parent: node, role: "write" });
      return true;
    case "UnaryExpression":
      walk.push({ ...visit, node: node.argument, parent: node, role: node.operator === "delete" ? "write" : "read" });
      return true;
    case "ChainExpression":
      // Transparent: who uses the chain uses what it holds.
      walk.push({ ...visit, node: node.expression });
      return true;
    case "CallExpression":
    case "NewExpression":
      survey.nesting = Math.max(survey.nesting, visit.depth + 1);
      walk.pushAll([node.callee], visit, node);
      walk.pushAll(node.arguments, { ...visit, depth: visit.depth + 1 }, node);
      return true;
    case "ObjectPattern":
      visitPattern(walk, visit, node);
      return true;
    case "ArrayPattern":
      for (const element of node.elements) if (element) walk.push({ ...visit, node: element, parent: node });
      return true;
    case "RestElement":
      walk.push({ ...visit, node: node.argument, parent: node });
      return true;
    case "AssignmentPattern":
      walk.push({ ...visit, node: node.left, parent: node });
      walk.push({ ...visit, node: node.right, parent: node, role: "read" });
      return true;
    case "ObjectExpression":
      visitObject(walk, visit, node);
      return true;
    case "ThisExpression":
      if (receiver !== "class") survey.receivers.push({ node, parent, receiver });
      return true;
    case "ImportExpression":
      survey.dynamicImports.push(node.source);
      return false;
    case "WithStatement":
      survey.hasWith = true;
      return false;
    case "LabeledStatement":
      walk.pushAll([node.body], visit, node);
      return true;
    case "BreakStatement":
    case "ContinueStatement":
    case "MetaProperty":
    case "PrivateIdentifier":
      return true;
    default:
      return false;
  }
}
