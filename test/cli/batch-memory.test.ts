/**
 * `batch` holds a window of lines and no more: not a giant line, not what a slow reader leaves, not the lines gone by.
 * Reads the memory of the real process from /proc, so it runs on Linux only.
 */

import { describe, expect, it } from "vitest";
import { collect, parseLines, readMemoryKib, startCommand } from "./command.ts";

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

  it("stops reading where nobody reads its answers", async () => {
    const child = startCommand(["batch", "--concurrency", "1"]);
    child.stdin.on("error", () => {}); // The child is killed with its input half read.
    const line = `{"id":"${"i".repeat(200)}","language":"javascript","source":1}\n`.repeat(200);
    let sent = 0;
    let stalls = 0;
    // The pipes and the window take what they take; then nothing moves any more.
    while (stalls < 20 && sent < 64 * 1024 * 1024) {
      sent += line.length;
      const moved = child.stdin.write(line) || (await drained(child));
      stalls = moved ? 0 : stalls + 1;
    }
    expect(sent).toBeLessThan(8 * 1024 * 1024);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
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
    // Most lines are refused, so that the test is short; one in twenty goes all the way through a worker.
    const bad = '{"id":"bad","language":"javascript","source":"return 1","limits":{"timeoutMs":0}}\n'.repeat(19);
    for (let block = 0; block < 5000; block++) await writeAll(child, bad + GOOD);
    child.stdin.end();
    await closed;
    expect(answered).toBe(100_000);
    const growth = (marks.get(100_000) ?? Number.NaN) - (marks.get(10_000) ?? Number.NaN);
    expect(growth).toBeLessThan(32 * MIB);
  });
});

/** True once the child takes more; false where it has not for a while. */
function drained(child: ReturnType<typeof startCommand>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => done(false), 100);
    const onDrain = () => done(true);
    function done(moved: boolean): void {
      clearTimeout(timer);
      child.stdin.off("drain", onDrain);
      resolve(moved);
    }
    child.stdin.on("drain", onDrain);
  });
}
