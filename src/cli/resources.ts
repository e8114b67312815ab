/**
 * Makes what the options of every command name: the policy and the sandbox. Registers the sandbox to be closed at the end.
 * The policy comes first: a wrong name is a fault before any worker starts.
 */

import { SandboxError } from "../errors.ts";
import type { SandboxOptions } from "../options.ts";
import type { Policy } from "../policy/evaluate.ts";
import type { Receipt, Sandbox } from "../types.ts";
import type { CommonOptions } from "./command-options.ts";
import { UsageError } from "./fault.ts";
import { suggestName } from "./question.ts";
import { closeOnExit } from "./shutdown.ts";
import { readJson, reasonOf, resolvePath } from "./source.ts";

/** The policy that `--policy` names: a preset, else a file that holds a policy document. */
export async function loadPolicy(nameOrFile: string): Promise<Policy> {
  const [{ createPolicy }, { PRESETS }] = await Promise.all([
    import("../policy/evaluate.ts"),
    import("../policy/presets.ts"),
  ]);
  if (PRESETS.has(nameOrFile)) return createPolicy(nameOrFile);
  let document: unknown;
  try {
    document = await readJson(nameOrFile);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const names = [...PRESETS.keys()];
    const suggestion = suggestName(nameOrFile, names);
    throw new UsageError(
      `--policy takes ${names.join(", ")} or a file with a policy document: ${`${reason} ${suggestion}`.trim()}`,
      {
        cause: error,
      },
    );
  }
  try {
    return createPolicy(document);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    throw new UsageError(`--policy ${JSON.stringify(nameOrFile)}: ${error.message}`, { cause: error });
  }
}

/** `onReceipt` for a graph or a batch: appends to the file that --receipts names. Nothing where it names none. */
export async function openReceipts({ receipts }: CommonOptions): Promise<{ onReceipt?: (receipt: Receipt) => void }> {
  if (receipts === undefined) return {};
  const { createReceiptLog } = await import("../graph/receipt-log.ts");
  const key = process.env.SALLYPORT_RECEIPT_KEY;
  try {
    // Never closed before the process ends: a signal cancels what runs, and that is told in receipts, too. A line is in the
    // file when it has been appended.
    const log = await createReceiptLog(resolvePath(receipts), key === undefined || key === "" ? {} : { key });
    return { onReceipt: log.onReceipt };
  } catch (error) {
    const isFolderAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
    const reason = isFolderAbsent ? "there is no such folder" : reasonOf(error);
    throw new UsageError(`--receipts ${JSON.stringify(receipts)}: ${reason}`, { cause: error });
  }
}

/** A sandbox inside the containment that the options ask for. Closed when the process ends. */
export async function openSandbox(
  { containment }: CommonOptions,
  options: SandboxOptions = {},
  policy?: Policy,
): Promise<Sandbox> {
  const { createSandbox } = await import("../sandbox/sandbox.ts");
  // Whatever word it is: createSandbox knows which there are, and says so.
  const asked = { ...options, containment: containment as NonNullable<SandboxOptions["containment"]> };
  // A signal that comes before it is open waits for nothing: workers end with this process.
  const sandbox = await createSandbox(asked);
  closeOnExit(() => sandbox.close());
  // The first program will be inspected: the inspector starts while everything else is still being loaded.
  if (policy?.readsManifest) sandbox.inspect({ language: "javascript", source: "" }).catch(() => {});
  return sandbox;
}
