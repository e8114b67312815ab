/**
 * Ends the process without leaving another behind: whatever was opened is closed on a normal end, a fault and a signal alike.
 * Must not wait for ever: workers die with this process, so closing is a courtesy with a time limit.
 */

const closers = new Set<() => Promise<void>>();
const CLOSE_LIMIT_MS = 3000;

const SIGNAL_EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Registers what must be closed before the process ends. `close` may be called once it has been closed already. */
export function closeOnExit(close: () => Promise<void>): void {
  closers.add(close);
}

/** Closes everything that was registered; resolves even where a close fails or hangs. */
async function closeAll(): Promise<void> {
  const closing = [...closers].map((close) => close().catch(() => {}));
  closers.clear();
  const limit = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS).unref());
  await Promise.race([Promise.all(closing), limit]);
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write("", () => resolve());
  });
}

let signalled = false;

/** True once a signal is ending the process: what fails from then on fails because of it. */
export function isEndingBySignal(): boolean {
  return signalled;
}

/** Closes, flushes what was printed, ends the process; leaves that to a signal where one came first. */
export async function endProcess(code: number): Promise<void> {
  if (signalled) return;
  await closeAll();
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  process.exit(code);
}

/** On Ctrl-C and the like: close, then exit with the code that shells expect. A second signal does not wait. */
export function installSignalHandlers(): void {
  for (const [signal, code] of Object.entries(SIGNAL_EXIT_CODES)) {
    process.on(signal, () => {
      if (signalled) process.exit(code);
      signalled = true;
      closeAll().then(() => process.exit(code));
    });
  }
}
