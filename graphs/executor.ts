/**
 * The executor graph for the LangGraph server: runs the calls of the last AI message, for callers with their own model.
 * Needs no key and no model; decides nothing that `createCodeExecutionGraph` does not.
 */

import { createCodeExecutionGraph } from "../src/graph/workflow.ts";
import { sandbox } from "./deployment.ts";

export const graph = createCodeExecutionGraph({ sandbox, name: "executor" });
