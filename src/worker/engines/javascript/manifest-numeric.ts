/**
 * Shows that an expression is a number, or another primitive that is no string: as a key it names nothing of interest.
 * Conservative, and sound as long as no other name is computed: what it cannot show counts as not shown.
 */

import type { CallExpression } from "acorn";
import type { Binding, Reference, Scope } from "./manifest-scope.ts";
import { literalText, memberName, type Syntax } from "./manifest-syntax.ts";
import {
  CONSTANT_GLOBALS,
  KNOWN_SYMBOLS,
  MATH_CONSTANTS,
  MATH_FUNCTIONS,
  NUMBER_FUNCTIONS,
} from "./manifest-vocabulary.ts";

/** `untouched`: globals of which it is certain that the program does not replace or patch them. */
export function createNumericTest(
  scopes: readonly Scope[],
  references: readonly Reference[],
  untouched: ReadonlySet<string>,
): (node: Syntax) => boolean {
  const bindings = new Map<Syntax, Binding | null>(references.map(({ node, binding }) => [node, binding]));

  const isGlobal = (node: Syntax, name: string) =>
    node.type === "Identifier" && node.name === name && bindings.get(node) === null && untouched.has(name);

  const isNumberCall = ({ callee }: CallExpression) =>
    callee.type === "Identifier"
      ? NUMBER_FUNCTIONS.has(callee.name) && isGlobal(callee, callee.name)
      : callee.type === "MemberExpression" &&
        isGlobal(callee.object, "Math") &&
        MATH_FUNCTIONS.has(memberName(callee.property, callee.computed) ?? "");

  /** What must be shown of its parts; null where it cannot be a number for sure. */
  const partsOf = (node: Syntax): readonly Syntax[] | null => {
    switch (node.type) {
      case "Literal":
        return typeof node.value === "string" || node.regex ? null : [];
      case "UnaryExpression":
        return node.operator === "typeof" ? null : [];
      case "UpdateExpression":
        return [];
      case "BinaryExpression":
        return node.operator === "+" ? [node.left, node.right] : [];
      case "LogicalExpression":
        return [node.left, node.right];
      case "ConditionalExpression":
        return [node.consequent, node.alternate];
      case "SequenceExpression":
        return node.expressions.slice(-1);
      case "AssignmentExpression":
        // A variable: all that is ever assigned to it is looked at anyway, this value as well.
        if (node.left.type === "Identifier") return [node.left];
        if (node.operator === "=") return [node.right];
        return /^(?:\+|&&|\|\||\?\?)=$/.test(node.operator) ? null : [];
      case "CallExpression":
        return isNumberCall(node) ? [] : null;
      case "MemberExpression": {
        const name = memberName(node.property, node.computed) ?? "";
        const { object } = node;
        const isKnown =
          (name === "length" && (object.type === "ArrayExpression" || literalText(object) !== null)) ||
          (KNOWN_SYMBOLS.has(name) && isGlobal(object, "Symbol")) ||
          (MATH_CONSTANTS.has(name) && isGlobal(object, "Math"));
        return isKnown ? [] : null;
      }
      default:
        return null;
    }
  };

  /** The bindings that must hold numbers for `node` to be one; null where no binding can make it one. */
  const requirementsOf = (node: Syntax): Binding[] | null => {
    const required: Binding[] = [];
    const open: Syntax[] = [node];
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (part.type === "Identifier") {
        const binding = bindings.get(part);
        if (binding) required.push(binding);
        else if (!CONSTANT_GLOBALS.has(part.name)) return null;
        continue;
      }
      const parts = partsOf(part);
      if (parts === null) return null;
      for (const inner of parts) open.push(inner);
    }
    return required;
  };

  /** All bindings count as numeric at first; one that is not takes along those that are assigned from it. */
  const notNumeric = new Set<Binding>();
  const dependents = new Map<Binding, Binding[]>();
  const open: Binding[] = [];
  const reject = (binding: Binding) => {
    if (notNumeric.has(binding)) return;
    notNumeric.add(binding);
    open.push(binding);
  };
  for (const scope of scopes) {
    for (const binding of scope.names.values()) {
      if (binding.opaque) reject(binding);
      for (const value of binding.opaque ? [] : binding.values) {
        const required = requirementsOf(value);
        if (required === null) reject(binding);
        for (const source of required ?? []) {
          const known = dependents.get(source);
          if (known === undefined) dependents.set(source, [binding]);
          else known.push(binding);
        }
      }
    }
  }
  for (let binding = open.pop(); binding !== undefined; binding = open.pop()) dependents.get(binding)?.forEach(reject);

  return (node) => requirementsOf(node)?.every((binding) => !notNumeric.has(binding)) ?? false;
}
