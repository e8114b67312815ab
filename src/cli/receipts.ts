/**
 * `receipts verify`: whether a file of receipts still is what was written, line by line.
 * Reads only. What it cannot know it says: without a head from elsewhere, lines may be missing at the end.
 */

import { type ChainReport, verifyReceipts } from "../graph/receipt-log.ts";
import { printJson } from "../protocol/json.ts";
import type { VerifyOptions } from "./command-options.ts";
import { EXIT, UsageError } from "./fault.ts";
import { toOneLine } from "./printable.ts";
import { reasonOf, resolvePath } from "./source.ts";

const HEAD = /^[0-9a-f]{64}$/;

function describeEnd({ count, head, found }: ChainReport, wanted: string | undefined): string {
  if (wanted === undefined) {
    return `head: ${head}\nLines that were cut off at the end do not show: keep the head elsewhere, and give it with --head.`;
  }
  if (found === null) return "The given head is in no line: lines were cut off at the end, or it is another file's.";
  return found === count ? "The given head is the last line's." : `${count - found} lines came after the given head.`;
}

/** Exit code 0 where every line holds, and the given head is among them; else 1. */
export async function verifyFile(path: string, options: VerifyOptions): Promise<number> {
  const key = process.env.SALLYPORT_RECEIPT_KEY;
  if (options.head !== undefined && !HEAD.test(options.head)) {
    throw new UsageError("--head: expected the head that an earlier check printed, 64 characters of 0-9 and a-f");
  }
  let report: ChainReport;
  try {
    report = await verifyReceipts(resolvePath(path), key === "" ? undefined : key, options.head);
  } catch (error) {
    throw new UsageError(`cannot read ${JSON.stringify(path)}: ${reasonOf(error)}`, { cause: error });
  }
  const { broken, count } = report;
  const isWhole = broken === null && (options.head === undefined || report.found !== null);
  if (options.json) process.stdout.write(`${printJson({ ok: isWhole, ...report })}\n`);
  else if (broken !== null) {
    process.stdout.write(
      `line ${broken.line} does not hold: ${toOneLine(broken.problem)}\n${count} ${count === 1 ? "line before it holds" : "lines before it hold"}\n`,
    );
  } else
    process.stdout.write(
      `${count} ${count === 1 ? "line holds" : "lines hold"}\n${describeEnd(report, options.head)}\n`,
    );
  return isWhole ? EXIT.ok : EXIT.notOk;
}
