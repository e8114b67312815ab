/**
 * Ends the process without leaving another behind: whatever was opened is closed on a normal end, a fault and a signal alike.
 * Must not wait for ever: workers die with this process, so closing is a courtesy with a time limit.
 */

const closers = new Set<() => Promise<void>>();
const CLOSE_LIMIT_MS = 3000;
/** For the command to say how what was under way has ended, once everything is closed. */
const LAST_WORDS_MS = 1000;

const SIGNAL_EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Registers what must be closed before the process ends. `close` may be called once it has been closed already. */
export function closeOnExit(close: () => Promise<void>): void {
  // Until something is open, a signal ends the process as it ends any: at once, whatever is still being loaded.
  if (closers.size === 0) installSignalHandlers();
  closers.add(close);
}

/** Closes everything that was registered; resolves even where a close fails or hangs. */
async function closeAll(): Promise<void> {
  const closing = [...closers].map((close) => close().catch(() => {}));
  closers.clear();
  await atMost(CLOSE_LIMIT_MS, Promise.all(closing));
}

async function atMost(limitMs: number, work: Promise<unknown>): Promise<void> {
  // It holds the event loop: where the work holds nothing, the process would else end in the middle, with another's code.
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write("", () => resolve());
  });
}

async function flushAll(): Promise<void> {
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
}

let signalled = false;
let command: Promise<unknown> = Promise.resolve();

/** The command that a signal lets finish its sentence: what it does once everything of its own has been closed. */
export function watchCommand(running: Promise<unknown>): void {
  command = running.catch(() => {});
}

/** True once a signal is ending the process: what fails from then on fails because of it. */
export function isEndingBySignal(): boolean {
  return signalled;
}

/** Closes, flushes what was printed, ends the process; leaves that to a signal where one came first. */
export async function endProcess(code: number): Promise<void> {
  if (signalled) return;
  await closeAll();
  await flushAll();
  process.exit(code);
}

async function endBySignal(code: number): Promise<void> {
  await closeAll();
  await atMost(LAST_WORDS_MS, command);
  await atMost(LAST_WORDS_MS, flushAll());
  process.exit(code);
}

/** On Ctrl-C and the like: close, let the command tell how its run ended, exit with the code that shells expect. A second signal does not wait. */
function installSignalHandlers(): void {
  for (const [signal, code] of Object.entries(SIGNAL_EXIT_CODES)) {
    process.on(signal, () => {
      if (signalled) process.exit(code);
      signalled = true;
      void endBySignal(code);
    });
  }
}
