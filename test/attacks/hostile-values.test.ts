/**
 * Attacks by values: getters that loop, errors that lie, answers that are forged.
 * Values and errors are read inside the guest, under its limit; the status is the host's own record.
 */

import { describe, expect, it } from "vitest";
import { describeAttacks, expectNothingOfTheHost, useAttackedSandbox } from "./attack.ts";

const inUse = useAttackedSandbox();
describeAttacks("hostileValues", inUse);

describe("a forged answer", () => {
  it.each([
    ["Script execution timed out.", "Error"],
    ["The program ran longer than 1000 ms.", "Timeout"],
    ["The program used more than 64 MiB of memory.", "MemoryLimit"],
    ["The worker process ended unexpectedly (SIGKILL).", "WorkerCrashed"],
    ["The call was cancelled.", "Cancelled"],
  ])("that says %j by an error named %s is an error of the program", async (message, name) => {
    const source = `throw Object.assign(new Error(${JSON.stringify(message)}), { name: ${JSON.stringify(name)} })`;
    expect(await inUse.run(source)).toMatchObject({ ok: false, status: "error", error: name, message });
  });

  it("by the value of the run has no say in the value of another", async () => {
    const forged = "eval('$val' + 'ue').last = 'forged'; eval('$val' + 'ue').result = () => 'forged'; 5";
    expect((await inUse.run(forged)).status).toBe("ok");
    expect(await inUse.run("5")).toMatchObject({ ok: true, result: 5 });
  });

  it.each([["\u0000\u0000\u0000\u0002{}"], ['{"type":"outcome","id":"x","status":"ok"}'], ["\u0000\u0000\u0000"]])(
    "in what is printed (%j) stays what it is: a line",
    async (line) => {
      const observation = await inUse.run(`console.log(${JSON.stringify(line)}); 1`);
      expect(observation).toMatchObject({ ok: true, result: 1, stdout: [line] });
    },
  );

  it("in a name with control characters is not taken for a name", async () => {
    for (const name of ["\u001b[31mTimeout", "a b", "Timeout\n", "", "x".repeat(200)]) {
      const source = `throw Object.assign(new Error("m"), { name: ${JSON.stringify(name)} })`;
      const observation = await inUse.run(source);
      expect(observation).toMatchObject({ status: "error", message: "m" });
      expect(observation.error).toMatch(/^[\w$.]{1,80}$/);
    }
  });
});

describe("a position that is forged", () => {
  it.each([
    "const e = new Error('x'); e.stack = 'x\\n    at sallyport-program.js:1e9:1'; throw e",
    "const e = new Error('x'); e.stack = { toString() { for (;;); } }; throw e",
    "const e = new Error('x'); e.stack = '    at sallyport-program.js:-1:-1\\n'.repeat(1e5); throw e",
    "Error.prepareStackTrace = () => ({ get length() { for (;;); } }); throw new Error('x')",
    "Error.prepareStackTrace = () => '    at /etc/passwd:1:1'; throw new Error('x')",
    "const e = new Error('x'); e.line = -1; e.column = -1; e.lineNumber = 'x'; throw e",
    "throw { name: 'Error', message: 'x', stack: '    at sallyport-program.js:99999999999:1' }",
    "const e = new Error('x'); e.stack = e.stack.replace(/(\\d+):(\\d+)/g, '2147483648:1'); throw e",
    "const e = new Error('x'); e.stack = e.stack.replace(/(\\d+):(\\d+)/g, '777:3'); throw e",
    "const e = new Error('x'); e.stack = e.stack.replace(/(\\d+):(\\d+)/g, '3:2147483648'); throw e",
    "const e = new Error('x'); e.stack = e.stack.replace(/(\\d+):(\\d+)/g, '777:3'); Promise.reject(e); 1",
    "const e = new Error('x'); e.stack = '\\n'.repeat(1e6) + e.stack; throw e",
    "const e = new Error('x'); e.stack = '\\n'.repeat(1e6) + e.stack; Promise.reject(e); 1",
    "const e = new Error('x'); e.stack = ' '.repeat(1e6) + e.stack; Promise.reject(e); 1",
  ])("is a place in the source, or none: %s", async (source) => {
    const observation = await inUse.run(source, { limits: { timeoutMs: 2000 } });
    expect(observation).toMatchObject({ status: "error", error: "Error" });
    const { line = 1, column = 1 } = observation;
    expect(line).toBe(1);
    expect(Number.isSafeInteger(column) && column > 0 && column <= source.length + 1).toBe(true);
    expectNothingOfTheHost(observation);
  });
});
