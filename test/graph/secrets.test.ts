/**
 * Canaries: what stands in source, output, arguments, exceptions, input and keys comes out in no receipt and in no fault.
 */

import { MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReceiptLog } from "../../src/graph/receipt-log.ts";
import { createCodeTools } from "../../src/graph/tools.ts";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import type { Receipt } from "../../src/types.ts";
import { ASKING, KEY, resume } from "./approval-rig.ts";
import { ai, aiRaw, call, createListener, human, TOOL } from "./rig.ts";

const CANARY = "canary-7f3a";
let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const PROGRAMS: [string, string][] = [
  ["in its source", `'${CANARY}'; 1`],
  ["in its value", `return '${CANARY}'`],
  ["in what it prints", `console.log('${CANARY}')`],
  ["in an exception's message", `throw new Error('${CANARY}')`],
  ["in an exception's name", `const e = new Error('x'); e.name = '${CANARY}'; throw e`],
  ["in its input", "return input"],
  ["in what is refused", `eval('${CANARY}')`],
  ["in a name that is refused", `import "${CANARY}"`],
  ["in what does not parse", `'${CANARY}' +`],
  ["in what is too long", `'${CANARY.repeat(500)}'`],
];

describe("no receipt holds a canary", () => {
  it.each(PROGRAMS)("that is %s", async (_title, source) => {
    const receipts: Receipt[] = [];
    const onReceipt = (receipt: Receipt) => receipts.push(receipt);
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, input: { secret: CANARY }, onReceipt });
    const end = await graph.invoke({ messages: [human(), ai(call("a", source))] });
    const [tool] = createCodeTools({ sandbox: rig.sandbox, input: CANARY, onReceipt });
    await tool?.invoke({ source });
    expect(receipts).toHaveLength(2);
    expect(end.receipts).toHaveLength(1);
    expect(JSON.stringify([receipts, end.receipts])).not.toContain(CANARY);
  });

  it("that is in arguments which are no program, or in a person's answer", async () => {
    const graph = createCodeExecutionGraph({
      sandbox: rig.sandbox,
      policy: ASKING,
      checkpointer: new MemorySaver(),
      approvalKey: KEY,
    });
    const at = { configurable: { thread_id: crypto.randomUUID() } };
    const hostile = { type: "tool_call", id: "a", name: TOOL, args: { source: 1, password: CANARY } };
    await graph.invoke(
      { messages: [human(), aiRaw({ tool_calls: [hostile, call("b", "ask"), call("c", "ask")] })] },
      at,
    );
    const edited = { name: TOOL, args: { source: `'${CANARY}'` } };
    const end = await graph.invoke(
      resume({
        decisions: [
          { type: "reject", message: CANARY },
          { type: "edit", editedAction: edited },
        ],
      }),
      at,
    );
    expect(end.receipts?.map(({ status }) => status)).toEqual(["rejected", "denied", "ok"]);
    expect(JSON.stringify(end.receipts)).not.toContain(CANARY);
    expect(JSON.stringify(end.receipts)).not.toContain(KEY);
  });
});

describe("no fault holds a canary", () => {
  const faults: [string, () => unknown][] = [
    ["an approval key that is too short", () => graphWith({ approvalKey: CANARY })],
    ["an approval key of another type", () => graphWith({ approvalKey: { key: CANARY } })],
    ["a policy that is wrong", () => graphWith({ policy: { version: 1, rules: { [`x`]: { secret: CANARY } } } })],
    ["a grant store that is none", () => graphWith({ grantStore: { token: CANARY } })],
  ];
  const graphWith = (options: object) =>
    createCodeExecutionGraph({ sandbox: rig.sandbox, ...options } as Parameters<typeof createCodeExecutionGraph>[0]);

  it.each(faults)("from %s", (_title, make) => {
    expect(make).toThrow(/INVALID_OPTIONS|expected/);
    try {
      make();
    } catch (error) {
      expect(String(error)).not.toContain(CANARY);
    }
  });

  it("from a receipt log that is no chain", async () => {
    const { mkdtempSync, rmSync, writeFileSync } = await import("node:fs");
    const { tmpdir } = await import("node:os");
    const { join } = await import("node:path");
    const folder = mkdtempSync(join(tmpdir(), "sallyport-secrets-"));
    writeFileSync(join(folder, "log"), `{"secret":"${CANARY}"}\n`);
    const fault = await createReceiptLog(join(folder, "log"), { key: CANARY }).catch(String);
    rmSync(folder, { recursive: true, force: true });
    expect(fault).toMatch(/line 1/);
    expect(fault).not.toContain(CANARY);
  });
});
