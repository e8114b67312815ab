/**
 * The policy document: data, checked before anything is decided by it.
 * Gives no defaults and decides nothing: what a document does not allow is denied in `evaluate.ts`.
 */

import { z } from "zod";
import { SandboxError } from "../errors.ts";
import { LANGUAGES } from "../languages.ts";
import { describeProblems } from "./problems.ts";
import { CONDITIONS, type ConditionKey } from "./rules/index.ts";

/** Rules of this name would be taken for the product's own reasons. */
export const RESERVED_RULE_IDS: readonly string[] = ["default", "languages", "tools", "dry-run"];

type WhenShape = { [Key in ConditionKey]: z.ZodOptional<(typeof CONDITIONS)[Key]["schema"]> };

const whenShape = Object.fromEntries(
  Object.entries(CONDITIONS).map(([key, { schema }]) => [key, z.optional<z.ZodType>(schema)]),
) as unknown as WhenShape;

const nameSchema = z.string().min(1).max(100);

const ruleSchema = z.strictObject({
  id: nameSchema.refine((id) => !RESERVED_RULE_IDS.includes(id), {
    error: `a name other than ${RESERVED_RULE_IDS.join(", ")}`,
  }),
  effect: z.enum(["allow", "deny", "ask"]).describe("ask: a person has to approve the call."),
  when: z.strictObject(whenShape).describe("Conditions joined by and; an empty one always holds."),
  message: z.string().min(1).max(2000).describe("Told to the model, and to the person who is asked."),
});

const documentSchema = z
  .strictObject({
    $schema: z.string().max(1000).optional().describe("The address of this schema, for editors."),
    version: z.literal(1),
    name: nameSchema.describe("Told in receipts."),
    defaultEffect: z.literal("deny").describe("What no rule allows is denied: it cannot be otherwise."),
    dryRun: z
      .boolean()
      .optional()
      .describe("Every call is allowed, and its receipt says what would have been decided: for trying a policy out."),
    languages: z.array(z.enum(LANGUAGES)).min(1).describe("Languages that may run at all."),
    tools: z.array(nameSchema).min(1).describe("Tools that may be called at all."),
    builtins: z
      .strictObject({ javascript: z.array(nameSchema).optional(), python: z.array(nameSchema).optional() })
      .optional()
      .describe("The only global names, for each language; others are taken from the program at run time as well."),
    rules: z.array(ruleSchema).max(1000).describe("deny before ask before allow; their order does not matter."),
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
