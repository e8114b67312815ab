/**
 * The executor graph for the LangGraph server: runs the calls of the last AI message, for callers with their own model.
 * Needs no key and no model; decides nothing that `createCodeExecutionGraph` does not.
 */

import { createCodeExecutionGraph } from "../src/graph/workflow.ts";
import { createSandbox } from "../src/sandbox/sandbox.ts";

export const graph = createCodeExecutionGraph({ sandbox: await createSandbox(), name: "executor" });
