/**
 * A core and a state for testing one node by itself: real policy, and a sandbox that only notes what it is asked.
 * The graph's own tests run the real sandbox; here it would say nothing about the node.
 */

import { hash } from "node:crypto";
import type { BaseMessage } from "@langchain/core/messages";
import { createCore } from "../../src/graph/core.ts";
import type { SallyportEvent } from "../../src/graph/events.ts";
import type { GraphState } from "../../src/graph/state.ts";
import { DEFAULT_LIMITS } from "../../src/limits.ts";
import { blankManifest } from "../../src/manifest.ts";
import { resolveGraphOptions } from "../../src/options-graph.ts";
import type { Manifest, RunRequest, Sandbox } from "../../src/types.ts";

const MANIFEST: Manifest = { ...blankManifest("javascript", "1"), sha256: "0".repeat(64), complete: true };

export function createBench(options: object = {}, hasModel = false) {
  const executed: RunRequest[] = [];
  const inspected: string[] = [];
  const sandbox = {
    limits: DEFAULT_LIMITS,
    layers: ["isolate"],
    languages: ["javascript"],
    execute: async (request: RunRequest) => {
      executed.push(request);
      request.onStdout?.("line");
      const observation = {
        ok: true,
        status: "ok",
        result: request.source.length,
        stdout: ["line"],
        usage: USAGE,
      } as const;
      return {
        observation: { ...observation, stdout: [...observation.stdout] },
        engineSha256: hash("sha256", request.source),
      };
    },
    inspect: async ({ source }: { source: string }) => {
      inspected.push(source);
      return { ...MANIFEST, dynamicCode: source.includes("eval") ? ["eval"] : [] };
    },
  } as unknown as Sandbox;
  const core = createCore(resolveGraphOptions({ sandbox, ...options }), hasModel);
  return { core, executed, inspected, options: { sandbox, ...options } };
}

const USAGE = { wallMs: 1, cpuMs: 1, queueMs: 0 };

export function stateOf(messages: BaseMessage[], extra: Partial<GraphState> = {}): GraphState {
  return { messages, calls: [], outcome: null, receipts: [], ...extra } as GraphState;
}

/** A config as LangGraph gives it in step `step` of a run, and the events that were written through it. */
export function configAt(step: number, recursionLimit: number, extra: object = {}) {
  const events: SallyportEvent[] = [];
  const writer = (event: unknown) => events.push(event as SallyportEvent);
  return { config: { recursionLimit, metadata: { langgraph_step: step }, writer, ...extra }, events };
}
