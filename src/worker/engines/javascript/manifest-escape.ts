/**
 * Whether the global object goes about as a value: then its members may be mentioned under any other name.
 * Must run before anything is said of the globals or of computed names.
 */

import { isProbe } from "./manifest-code-text.ts";
import type { Access, Survey } from "./manifest-survey.ts";
import { memberName, type Syntax } from "./manifest-syntax.ts";

function isCalled({ node, parent }: Access): boolean {
  if (parent?.type === "TaggedTemplateExpression") return parent.tag === node;
  return parent?.type === "CallExpression" && parent.callee === node;
}

export function globalEscapes({ receivers, references, accesses }: Survey, free: ReadonlySet<Syntax>): boolean {
  const isOwner = (node: Syntax, parent: Syntax | null) =>
    parent?.type === "MemberExpression" && parent.object === node;

  // `globalThis.method()` hands it to the method as `this`; `globalThis.globalThis` is it again.
  const byMember = accesses.some((access) => {
    const { key, computed, object, receiver } = access;
    const isGlobal =
      (object?.type === "Identifier" && object.name === "globalThis" && free.has(object)) ||
      (object?.type === "ThisExpression" && receiver === "top");
    return isGlobal && (isCalled(access) || memberName(key, computed) === "globalThis");
  });
  if (byMember) return true;

  const byName = references.some(
    ({ name, node, parent }) =>
      name === "globalThis" && free.has(node) && !isOwner(node, parent) && !isProbe(node, parent),
  );
  if (byName) return true;

  // `this instanceof Type` is everyday, unless the program defines what `instanceof` does.
  const hasHook = accesses.some(({ key, computed }) => memberName(key, computed) === "hasInstance");
  return receivers.some(({ node, parent }) => {
    if (isOwner(node, parent) || isProbe(node, parent)) return false;
    return parent?.type !== "BinaryExpression" || parent.operator !== "instanceof" || hasHook;
  });
}
