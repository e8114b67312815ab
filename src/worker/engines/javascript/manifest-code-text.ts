/**
 * Tells the uses of `Function`, `.constructor` and timers that make code from text from those that are everyday.
 * Judges one mention by what stands around it; a value that is passed on is named as private access, not here.
 */

import type { Access } from "./manifest-survey.ts";
import { literalText, memberName, type Syntax } from "./manifest-syntax.ts";

const COMPARISONS = new Set(["==", "!=", "===", "!==", "in"]);
const CALLERS = new Set(["constructor", "call", "apply", "bind"]);

/** Asked about, compared or tested, and not kept. What stands before `instanceof` may be handed to a hook. */
export function isProbe(node: Syntax, parent: Syntax | null): boolean {
  if (parent?.type === "UnaryExpression") return true;
  if (parent?.type !== "BinaryExpression") return false;
  return COMPARISONS.has(parent.operator) || (parent.operator === "instanceof" && parent.right === node);
}

/** A member of it is read that does not call it: `Function.prototype`, `x.constructor.name`. */
function isHarmlessOwner(node: Syntax, parent: Syntax | null): boolean {
  if (parent?.type !== "MemberExpression" || parent.object !== node) return false;
  const name = memberName(parent.property, parent.computed);
  return name !== null && !CALLERS.has(name);
}

export function isHarmlessFunction(node: Syntax, parent: Syntax | null): boolean {
  return isProbe(node, parent) || isHarmlessOwner(node, parent);
}

/** What surely is a function or class: its `constructor` makes code from text. */
function isCallable(node: Syntax): boolean {
  switch (node.type) {
    case "FunctionExpression":
    case "ArrowFunctionExpression":
    case "ClassExpression":
      return true;
    case "CallExpression":
      return (
        node.callee.type === "MemberExpression" &&
        memberName(node.callee.property, node.callee.computed) === "getPrototypeOf" &&
        node.arguments.some((argument) => argument.type !== "SpreadElement" && isFunctionText(argument))
      );
    case "MemberExpression":
      return (
        /^(?:Array|Object)Expression$|Literal$/.test(node.object.type) ||
        (node.object.type === "Identifier" && node.object.name === "Function")
      );
    default:
      return false;
  }
}

function isFunctionText(node: Syntax): boolean {
  return node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression";
}

function isClone(node: Syntax, object: Syntax | null, values: readonly Syntax[]): boolean {
  const [value] = values;
  if (values.length === 0 || object?.type === "ThisExpression") return true;
  return value?.type === "Identifier" && object?.type === "Identifier" && value.name === object.name && node !== value;
}

/** What to call this use of `.constructor` where it makes code from text; null where it does not, as far as can be seen. */
export function codeFromConstructor({ object, node, parent, write }: Access): string | null {
  if (write) return null;
  if (object?.type === "MemberExpression" && memberName(object.property, object.computed) === "constructor") {
    return ".constructor.constructor";
  }
  if (parent?.type === "CallExpression" && parent.callee === node) return ".constructor()";
  if (parent?.type === "TaggedTemplateExpression") return ".constructor()";
  if (parent?.type === "NewExpression" && parent.callee === node) {
    return isClone(node, object, parent.arguments) ? null : "new .constructor()";
  }
  if (parent?.type === "MemberExpression" && parent.object === node && !isHarmlessOwner(node, parent))
    return ".constructor()";
  if (
    (parent?.type === "ClassDeclaration" || parent?.type === "ClassExpression") &&
    object?.type !== "ThisExpression"
  ) {
    return "extends .constructor";
  }
  return object !== null && isCallable(object) && !isProbe(node, parent) && !isHarmlessOwner(node, parent)
    ? ".constructor"
    : null;
}

/** `setTimeout("text")`: the text would be compiled where timers take text. */
export function hasTextArgument(node: Syntax, parent: Syntax | null): boolean {
  if (parent?.type !== "CallExpression" || parent.callee !== node) return false;
  const [first] = parent.arguments;
  if (first === undefined) return false;
  const isText = (part: Syntax) => part.type === "TemplateLiteral" || literalText(part) !== null;
  return (
    isText(first) ||
    (first.type === "BinaryExpression" && first.operator === "+" && (isText(first.left) || isText(first.right)))
  );
}
