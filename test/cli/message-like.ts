/**
 * Makes JSON that looks enough like messages to get deep into whatever reads them, and is wrong somewhere.
 * A generator only; what has to come of it is the tests' to say.
 */

import fc from "fast-check";

const TOOL = "run_javascript_sandboxed";

/** JSON that looks enough like messages to get deep into the decoder. */
export const { message: messageLike } = fc.letrec((tie) => ({
  junk: fc.oneof(
    { depthSize: "small" },
    fc.jsonValue(),
    tie("call"),
    fc.constantFrom("lc", "c1", TOOL, "{}", '{"source":"1"}'),
  ),
  call: fc.record(
    {
      id: tie("junk"),
      name: tie("junk"),
      args: tie("junk"),
      index: fc.nat(2),
      type: tie("junk"),
      function: fc.oneof(tie("junk"), fc.record({ name: tie("junk"), arguments: tie("junk") }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  ),
  calls: fc.oneof(fc.array(tie("call"), { maxLength: 3 }), tie("junk")),
  message: fc.record(
    {
      role: fc.oneof(fc.constantFrom("user", "assistant", "system", "tool", "developer"), tie("junk")),
      type: fc.oneof(fc.constantFrom("human", "ai", "system", "tool", "remove"), tie("junk")),
      content: fc.oneof(
        fc.string(),
        fc.array(fc.record({ type: fc.constantFrom("text", "tool_call", "reasoning") })),
        tie("junk"),
      ),
      id: tie("junk"),
      name: tie("junk"),
      tool_call_id: fc.oneof(fc.string(), tie("junk")),
      status: tie("junk"),
      tool_calls: tie("calls"),
      invalid_tool_calls: tie("calls"),
      tool_call_chunks: tie("calls"),
      additional_kwargs: fc.oneof(fc.record({ tool_calls: tie("calls") }), tie("junk")),
      response_metadata: fc.oneof(fc.record({ output_version: fc.constant("v1") }), tie("junk")),
    },
    { requiredKeys: [] },
  ),
}));
