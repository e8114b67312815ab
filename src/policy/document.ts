/**
 * The policy document: data, checked before anything is decided by it.
 * Gives no defaults and decides nothing: what a document does not allow is denied in `evaluate.ts`.
 */

import { z } from "zod";
import { SandboxError } from "../errors.ts";
import { LANGUAGES } from "./languages.ts";
import { describeProblems } from "./problems.ts";
import { CONDITIONS, type ConditionKey } from "./rules/index.ts";

/** Rules of this name would be taken for the product's own reasons. */
export const RESERVED_RULE_IDS: readonly string[] = ["default", "languages", "tools"];

type WhenShape = { [Key in ConditionKey]: z.ZodOptional<(typeof CONDITIONS)[Key]["schema"]> };

const whenShape = Object.fromEntries(
  Object.entries(CONDITIONS).map(([key, { schema }]) => [key, z.optional<z.ZodType>(schema)]),
) as unknown as WhenShape;

const nameSchema = z.string().min(1).max(100);

const ruleSchema = z.strictObject({
  id: nameSchema.refine((id) => !RESERVED_RULE_IDS.includes(id), {
    error: `a name other than ${RESERVED_RULE_IDS.join(", ")}`,
  }),
  effect: z.enum(["allow", "deny", "ask"]),
  when: z.strictObject(whenShape),
  message: z.string().min(1).max(2000),
});

const documentSchema = z
  .strictObject({
    version: z.literal(1),
    name: nameSchema,
    defaultEffect: z.literal("deny"),
    languages: z.array(z.enum(LANGUAGES)).min(1),
    tools: z.array(nameSchema).min(1),
    builtins: z
      .strictObject({ javascript: z.array(nameSchema).optional(), python: z.array(nameSchema).optional() })
      .optional(),
    rules: z.array(ruleSchema).max(1000),
  })
  .check(({ value, issues }) => {
    const seen = new Set<string>();
    for (const [index, { id }] of value.rules.entries()) {
      if (seen.has(id))
        issues.push({ code: "custom", input: id, path: ["rules", index, "id"], message: "an id of its own" });
      seen.add(id);
    }
  });

export type PolicyDocument = z.output<typeof documentSchema>;
export type PolicyRule = PolicyDocument["rules"][number];
export type When = PolicyRule["when"];

function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) freeze(inner);
    Object.freeze(value);
  }
  return value;
}

/**
 * A frozen copy of `value`.
 * @throws SandboxError INVALID_OPTIONS that names each wrong place, what was expected and what was given.
 */
export function parsePolicyDocument(value: unknown): PolicyDocument {
  const parsed = documentSchema.safeParse(value);
  if (parsed.success) return freeze(parsed.data);
  const problems = describeProblems(parsed.error, documentSchema, value);
  throw new SandboxError("INVALID_OPTIONS", `policy: ${problems}`, { cause: parsed.error });
}

/** The JSON Schema of a policy document, for editors. */
export function policyJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(documentSchema) };
}
