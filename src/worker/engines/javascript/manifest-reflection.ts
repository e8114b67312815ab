/**
 * Members that are read without being written as members: `Reflect.get`, property descriptors.
 * A literal key is a mention like any other; without one, any member may be meant.
 */

import type { Mentions } from "./manifest-mentions.ts";
import type { Access } from "./manifest-survey.ts";
import { isPlainKey, literalText, memberName, type Syntax } from "./manifest-syntax.ts";
import { isPrivateName } from "./manifest-vocabulary.ts";

/** Where the key stands among the arguments. */
const BY_KEY = new Map([
  ["getOwnPropertyDescriptor", 1],
  ["__lookupGetter__", 0],
  ["__lookupSetter__", 0],
]);
const REFLECT_BY_KEY = new Set(["get", "set"]);
const ALL_VALUES = new Set(["entries", "values"]);

function isPrototype(node: Syntax | undefined): boolean {
  const member = node?.type === "CallExpression" ? node.callee : node;
  if (member?.type !== "MemberExpression") return false;
  return /^(?:prototype|__proto__|getPrototypeOf)$/.test(memberName(member.property, member.computed) ?? "");
}

export function noteReflection(
  found: Mentions,
  { object, node, parent }: Access,
  name: string,
  isNumeric: (node: Syntax) => boolean,
  isFree: (node: Syntax) => boolean,
): void {
  const values = parent?.type === "CallExpression" && parent.callee === node ? parent.arguments : null;
  const isReflect =
    object?.type === "Identifier" && object.name === "Reflect" && isFree(object) && REFLECT_BY_KEY.has(name);
  const position = isReflect ? 1 : BY_KEY.get(name);
  if (position !== undefined) {
    const key = values?.[position];
    const text = literalText(key);
    // A spread before the key moves it.
    if (key === undefined || values?.slice(0, position).some(({ type }) => type === "SpreadElement")) {
      found.undetermined.add("members");
    } else if (text !== null) {
      found.members.add(text);
      if (isPrivateName(text) || text === "constructor") found.privateAccess.add(text);
    } else if (!isPlainKey(key) && !isNumeric(key)) found.undetermined.add("members");
  }
  if (name === "getOwnPropertyDescriptors" || (ALL_VALUES.has(name) && isPrototype(values?.[0]))) {
    found.undetermined.add("members");
  }
}
