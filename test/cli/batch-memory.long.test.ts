/**
 * `batch` holds a window of lines and no more: not a giant line, not what a slow reader leaves, not the lines gone by.
 * Reads the memory of the real process from /proc, so it runs on Linux only.
 */

import { describe, expect, it, vi } from "vitest";
import { collect, parseLines, readBytesRead, readMemoryKib, startCommand } from "./command.ts";

const MIB = 1024;
const GOOD = '{"id":"good","language":"javascript","source":"return 1"}\n';

/** Resolves after the next chunk of the child's output. */
function nextOutput(child: ReturnType<typeof startCommand>): Promise<void> {
  return new Promise((resolve) => child.stdout.once("data", () => resolve()));
}

async function writeAll(child: ReturnType<typeof startCommand>, text: string): Promise<void> {
  if (!child.stdin.write(text)) await new Promise<void>((resolve) => child.stdin.once("drain", resolve));
}

describe.runIf(process.platform === "linux")("memory of batch", () => {
  it("does not hold a line of 100 MB, and answers it", async () => {
    const child = startCommand(["batch", "--concurrency", "1"]);
    const ended = collect(child);
    const answered = nextOutput(child);
    await writeAll(child, GOOD);
    await answered;
    const before = readMemoryKib(child, "VmHWM");
    const giant = nextOutput(child);
    const piece = "x".repeat(1_000_000);
    await writeAll(child, '{"id":"giant","language":"javascript","source":"');
    for (let written = 0; written < 100; written++) await writeAll(child, piece);
    await writeAll(child, '"}\n');
    await giant;
    const after = readMemoryKib(child, "VmHWM");
    child.stdin.end(GOOD);
    const { stdout, code } = await ended;
    const [first, second, third] = parseLines(stdout);
    expect(first).toMatchObject({ id: "good", ok: true });
    expect(second).toMatchObject({ id: null, error: "InvalidLine", message: expect.stringContaining("1000000") });
    expect(third).toMatchObject({ id: "good", ok: true });
    expect(code).toBe(0);
    expect(after - before).toBeLessThan(32 * MIB);
  });

  it("stops reading where nobody reads its answers, and goes on when somebody does", async () => {
    const child = startCommand(["batch", "--concurrency", "1"]);
    const lines = 80_000;
    const line = `{"id":"${"i".repeat(200)}","language":"javascript","source":1}\n`;
    child.stdin.end(line.repeat(lines));
    let seen = 0;
    await vi.waitFor(
      () => {
        const before = seen;
        seen = readBytesRead(child);
        expect(seen > 5_000_000 || (seen > 1_000_000 && seen === before)).toBe(true);
      },
      { timeout: 20_000, interval: 200 },
    );
    // Sixteen million bytes wait; what the pipes and the window take is far less. Node's own start reads some, too.
    expect(seen).toBeLessThan(5_000_000);
    const { stdout, code } = await collect(child);
    expect(stdout.split("\n").length - 1).toBe(lines);
    expect(code).toBe(0);
  });

  it("is at line 100,000 at most 32 MiB above line 10,000", { timeout: 240_000 }, async () => {
    const child = startCommand(["batch", "--concurrency", "2"]);
    const marks = new Map<number, number>();
    let answered = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      for (const byte of chunk) {
        if (byte !== 10) continue;
        answered++;
        if (answered % 10_000 === 0) marks.set(answered, readMemoryKib(child, "VmRSS"));
      }
    });
    const closed = new Promise((resolve) => child.once("close", resolve));
    // Most lines are refused, so that the test is short; one in fifty goes all the way through a worker.
    const bad = '{"id":"bad","language":"javascript","source":"return 1","limits":{"timeoutMs":0}}\n'.repeat(49);
    for (let block = 0; block < 2000; block++) await writeAll(child, bad + GOOD);
    child.stdin.end();
    await closed;
    expect(answered).toBe(100_000);
    const growth = (marks.get(100_000) ?? Number.NaN) - (marks.get(10_000) ?? Number.NaN);
    expect(growth).toBeLessThan(32 * MIB);
  });
});
