/**
 * A fresh isolate with the guest's wing in it, ready for one program and then thrown away.
 * The only file of this engine that touches isolated-vm. Nothing but primitive strings crosses, in either direction.
 */

import { readFileSync } from "node:fs";
import ivm from "isolated-vm";
import { guestScript } from "../../guest/source.ts";
import type { Output } from "../engine.ts";
import { type EntryEnd, enterIsolate } from "../entry.ts";

const script = guestScript();
const cachedData = produceCache();
let library: string | null = null;

function produceCache(): ivm.ExternalCopy<ArrayBuffer> | undefined {
  const isolate = new ivm.Isolate();
  try {
    const compiled = isolate.compileScriptSync(script, { produceCachedData: true });
    return (compiled as { cachedData?: ivm.ExternalCopy<ArrayBuffer> }).cachedData;
  } finally {
    isolate.dispose();
  }
}

/** Read when a program first names URL, kept for the programs after it. */
function readLibrary(): string {
  const beside = import.meta.url.endsWith(".ts") ? "../../guest/url.generated.js" : "../../guest/url.js";
  library ??= readFileSync(new URL(beside, import.meta.url), "utf8");
  return library;
}

export interface PreparedIsolate {
  readonly memoryMb: number;
  /** One entry. `timeoutMs` is a whole number above 0. Never throws. */
  enter(text: string | null, timeoutMs: number): string | EntryEnd;
  onOutput(output: Output): void;
  dispose(): void;
}

export function prepareIsolate(memoryMb: number): PreparedIsolate {
  const isolate = new ivm.Isolate({ memoryLimit: memoryMb });
  const context = isolate.createContextSync();
  let output: Output | null = null;
  let librariesLeft = 1;
  const host = new ivm.Callback((line?: unknown) => {
    if (typeof line === "string") output?.line(line);
    else if (line === null) output?.truncated();
    else if (librariesLeft-- > 0) return readLibrary();
    return undefined;
  });
  const compiled = isolate.compileScriptSync(script, {
    filename: "sallyport-guest.js",
    ...(cachedData && { cachedData }),
  });
  const setUp = compiled.runSync(context, { reference: true }) as ivm.Reference<(host: unknown) => unknown>;
  const program = setUp.applySync(undefined, [host], { result: { reference: true } }) as unknown as ivm.Reference<
    (text: string | null) => string
  >;
  return {
    memoryMb,
    onOutput(next) {
      output = next;
    },
    enter: (text, timeoutMs) => enterIsolate(isolate, program, text, timeoutMs),
    dispose() {
      if (!isolate.isDisposed) isolate.dispose();
    },
  };
}
