/**
 * Shows how many lines have been answered, on stderr and only where a person watches it.
 * Must print nothing into a file, a pipe or between the lines of a terminal's own output.
 */

export interface Progress {
  advance(): void;
  stop(): void;
}

const NO_PROGRESS: Progress = { advance() {}, stop() {} };

/** A counter on the terminal; silent where stderr is none, or where stdout already scrolls there. */
export async function createProgress(): Promise<Progress> {
  if (!process.stderr.isTTY || process.stdout.isTTY) return NO_PROGRESS;
  const { default: cliProgress } = await import("cli-progress");
  const format = "  {value} answered · {duration_formatted}";
  const bar = new cliProgress.SingleBar({ stream: process.stderr, format, hideCursor: true, fps: 5 });
  bar.start(0, 0);
  let answered = 0;
  return {
    advance: () => bar.update(++answered),
    stop: () => bar.stop(),
  };
}
