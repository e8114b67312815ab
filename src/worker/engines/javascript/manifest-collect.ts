/**
 * From what the walk noted to what the program mentions, and what of it could not be determined.
 * A lower bound: whatever is not certain to be harmless is named or marked as undetermined.
 */

import type { Aspect } from "../../../types.ts";
import { codeFromConstructor, hasTextArgument, isHarmlessFunction, isProbe } from "./manifest-code-text.ts";
import { globalEscapes } from "./manifest-escape.ts";
import { createMentions, type Mentions } from "./manifest-mentions.ts";
import { createNumericTest } from "./manifest-numeric.ts";
import { noteReflection } from "./manifest-reflection.ts";
import { resolveReferences } from "./manifest-scope.ts";
import type { Access, Survey } from "./manifest-survey.ts";
import { isPlainKey, literalText, memberName, type Syntax } from "./manifest-syntax.ts";
import { findUntouched } from "./manifest-untouched.ts";
import { CODE_MAKERS, GLOBAL_OBJECTS, isPrivateName, TIMERS } from "./manifest-vocabulary.ts";

/** `node` reads the global `name`, by itself or as a member of the global object. */
function noteGlobal(found: Mentions, name: string, node: Syntax, parent: Syntax | null): void {
  found.globals.add(name);
  if (isProbe(node, parent) && name !== "Function") return;
  const isOwner = parent?.type === "MemberExpression" && parent.object === node;
  if (name === "Function" ? !isHarmlessFunction(node, parent) : CODE_MAKERS.has(name)) found.dynamicCode.add(name);
  if (name === "constructor") found.privateAccess.add(name);
  if (TIMERS.has(name) && hasTextArgument(node, parent)) found.dynamicCode.add(`${name}(text)`);
  if (name === "Reflect" && !(isOwner && node.type === "Identifier")) found.undetermined.add("members");
  if (name === "require") noteRequire(found, node, parent);
}

function noteRequire(found: Mentions, node: Syntax, parent: Syntax | null): void {
  if (parent?.type === "MemberExpression" && parent.object === node) {
    // `require.main === module` is how a script asks whether it is the main one.
    if (memberName(parent.property, parent.computed) === "main") return;
  }
  const module = parent?.type === "CallExpression" && parent.callee === node ? literalText(parent.arguments[0]) : null;
  if (module === null) found.undetermined.add("imports");
  else found.imports.add(module);
}

function noteImports(found: Mentions, survey: Survey): void {
  for (const module of survey.modules) found.imports.add(module);
  for (const operand of survey.dynamicImports) {
    const module = literalText(operand);
    if (module === null) found.undetermined.add("imports");
    else found.imports.add(module);
    if (module === null || /^(?:data|blob):/i.test(module)) found.dynamicCode.add("import()");
  }
}

function noteAccess(
  found: Mentions,
  access: Access,
  isNumeric: (node: Syntax) => boolean,
  isFree: (node: Syntax) => boolean,
): void {
  const { key, computed, object, node, parent, receiver } = access;
  const name = memberName(key, computed);
  const isThis = object?.type === "ThisExpression" && receiver !== "class";
  const isGlobalObject = object?.type === "Identifier" && GLOBAL_OBJECTS.has(object.name) && isFree(object);
  if (name === null) {
    if (isPlainKey(key) || isNumeric(key)) return;
    found.undetermined.add("members");
    if (isThis || isGlobalObject) found.undetermined.add("globals");
    return;
  }
  found.members.add(name);
  if (isPrivateName(name) || name === "constructor") found.privateAccess.add(name);
  if (CODE_MAKERS.has(name) && !isProbe(node, parent)) found.memberMakers.add(name);
  if (isGlobalObject || (isThis && receiver === "top")) noteGlobal(found, name, node, parent);
  else if (isThis && receiver === "function" && CODE_MAKERS.has(name)) found.dynamicCode.add(name);
  const code = name === "constructor" ? codeFromConstructor(access) : null;
  if (code !== null) found.dynamicCode.add(code);
  noteReflection(found, access, name, isNumeric, isFree);
}

export function collectMentions(survey: Survey): Mentions {
  resolveReferences(survey.scopes);
  const mentioned = survey.references.filter(({ binding, kind }) => binding === null && kind !== "hoist");
  const free = new Set<Syntax>(mentioned.map(({ node }) => node));
  const escapes = globalEscapes(survey, free);
  const found = createMentions();
  for (const { name, node, parent } of mentioned) noteGlobal(found, name, node, parent);
  noteImports(found, survey);
  for (const name of survey.ownNames) if (isPrivateName(name)) found.privateAccess.add(name);
  if (survey.hasWith) found.dynamicCode.add("with");
  const untouched = findUntouched(survey, free, escapes);
  const isNumeric = createNumericTest(survey.scopes, survey.references, untouched);
  for (const access of survey.accesses) noteAccess(found, access, isNumeric, (node) => free.has(node));
  // Where the global object goes about under other names, a member may be a global.
  if (escapes) for (const name of found.memberMakers) found.dynamicCode.add(name);
  if (escapes) found.undetermined.add("globals");
  for (const aspect of undeterminedBy(found, survey)) found.undetermined.add(aspect);
  return found;
}

/** Text that becomes code may mention anything; a list that was cut may lack anything. */
function undeterminedBy(found: Mentions, survey: Survey): Aspect[] {
  const aspects: Aspect[] = [];
  if (found.dynamicCode.values().length > 0) aspects.push("imports", "globals", "members");
  if (survey.hasWith) aspects.push("globals", "members");
  if (found.imports.isCut) aspects.push("imports");
  if (found.globals.isCut) aspects.push("globals");
  if (found.members.isCut || found.privateAccess.isCut) aspects.push("members");
  return aspects;
}
