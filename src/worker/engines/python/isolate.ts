/**
 * CPython in a fresh isolate, restored from the snapshot and then thrown away: for the engine and for the inspector.
 * What crosses while a program runs are strings, in both directions, and a flag. Loads in the background where it is asked to.
 */

import ivm from "isolated-vm";
import { type Interpreter, type Order, pythonScript } from "../../guest/python/source.ts";
import type { Output } from "../engine.ts";
import { type EntryEnd, enterIsolate } from "../entry.ts";
import { type PythonFiles, readPythonFiles, readSnapshot } from "./files.ts";

/** For JavaScript's own heap beside the interpreter's memory: objects of the loader, files of the program. */
const HEAP_MB = 192;

export interface PreparedPython {
  readonly isLoaded: boolean;
  /** Waits until it is loaded, if it is not. @throws Error where it cannot be. */
  ready(): void;
  /** The one entry, once it is ready. `timeoutMs` is a whole number above 0. What the program throws is told, not thrown. */
  enter(order: Order, timeoutMs: number, output: Output): string | EntryEnd;
  dispose(): void;
}

type Reference<Method> = ivm.Reference<Method>;

export interface Loader {
  /** Begins to load an interpreter on another thread, and gives it at once. */
  prepare(): PreparedPython;
}

interface Machine {
  isolate: ivm.Isolate;
  load: Reference<Interpreter["load"]>;
  execute: Reference<Interpreter["execute"]>;
  interpreter: Reference<Interpreter>;
  isLoaded(): boolean;
  setOutput(output: Output): void;
}

/** A module that is compiled once and given to every isolate. */
type Compiled = ivm.ExternalCopy<object>;

/** All that an isolate is made of. */
interface Parts {
  script: string;
  wasm: Compiled;
  stdlib: SharedArrayBuffer;
  /** Null where a snapshot is yet to be made. */
  filler: Compiled | null;
}

let cachedData: ivm.ExternalCopy<ArrayBuffer> | undefined;

function compileScript(isolate: ivm.Isolate, script: string): ivm.Script {
  const compiled = isolate.compileScriptSync(script, {
    filename: "python.js",
    ...(cachedData ? { cachedData } : { produceCachedData: true }),
  }) as ivm.Script & { cachedData?: ivm.ExternalCopy<ArrayBuffer> };
  cachedData ??= compiled.cachedData;
  return compiled;
}

function take<Name extends keyof Interpreter>(interpreter: Reference<Interpreter>, name: Name) {
  return interpreter.getSync(name, { reference: true }) as Reference<Interpreter[Name]>;
}

/** An isolate with everything in it but the interpreter, which is yet to be loaded. */
function createMachine({ script, wasm, stdlib, filler }: Parts): Machine {
  const isolate = new ivm.Isolate({ memoryLimit: HEAP_MB });
  const context = isolate.createContextSync();
  let output: Output | null = null;
  // The program may have got hold of it: what is not told as the guest of ours tells it is told to nobody.
  const host = new ivm.Callback((text?: unknown, of?: unknown, isPart?: unknown) => {
    const stream = of === "stdout" || of === "stderr" ? of : undefined;
    if (text === null) output?.truncated();
    else if (typeof text !== "string") return;
    else if (isPart !== true) output?.line(text, stream);
    else if (stream !== undefined) output?.part(text, stream);
  });
  const loaded = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const flag = new Int32Array(loaded);
  const share = (memory: SharedArrayBuffer) => new ivm.ExternalCopy(memory).copyInto();
  const compiled = compileScript(isolate, script);
  const setUp = compiled.runSync(context, { reference: true }) as Reference<(...args: unknown[]) => unknown>;
  const given = [host, wasm.copyInto(), share(stdlib), filler?.copyInto() ?? null, share(loaded)];
  const interpreter = setUp.applySync(undefined, given, { result: { reference: true } }) as Reference<Interpreter>;
  return {
    isolate,
    load: take(interpreter, "load"),
    execute: take(interpreter, "execute"),
    interpreter,
    isLoaded: () => !isolate.isDisposed && Atomics.load(flag, 0) === 1,
    setOutput(next) {
      output = next;
    },
  };
}

/** A bare isolate that keeps the module that it has compiled alive: its code is every isolate's. */
interface Anchor {
  isolate: ivm.Isolate;
  compiled: Promise<Compiled>;
}

/** On another thread. Takes the buffer away, and gives back its memory. */
function compileModule({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Anchor {
  const isolate = new ivm.Isolate({ memoryLimit: HEAP_MB });
  const context = isolate.createContextSync();
  const copy = new ivm.ExternalCopy(buffer, { transferOut: true });
  context.global.setSync("bytes", copy.copyInto({ release: true, transferIn: true }));
  const source = `globalThis.module = new WebAssembly.Module(new Uint8Array(bytes, ${byteOffset}, ${length}));
    bytes.transfer(0);
    module`;
  const compiled = context.eval(source, { externalCopy: true }) as unknown as Promise<Compiled>;
  // Told where it is waited for.
  compiled.catch(() => {});
  return { isolate, compiled };
}

/** Reads the files and the snapshot. @throws Error where one is missing or damaged. */
export async function createLoader(): Promise<Loader> {
  const { head, exports, errorNumbersAt, contents } = readSnapshot();
  contents.catch(() => {});
  const files = readPythonFiles(exports, errorNumbersAt);
  const interpreter = compileModule(files.wasm);
  const { glue, filler: bytes } = await contents;
  const filler = compileModule(bytes);
  const script = pythonScript({ ...files, glue }, head);
  // While the modules are compiled elsewhere: what V8 learns of the text is kept for every isolate.
  const reader = new ivm.Isolate({ memoryLimit: HEAP_MB });
  compileScript(reader, script);
  reader.dispose();
  const parts = { script, wasm: await interpreter.compiled, stdlib: files.stdlib, filler: await filler.compiled };
  return {
    prepare() {
      if (interpreter.isolate.isDisposed || filler.isolate.isDisposed) throw new Error("an anchor isolate is gone");
      return prepare(createMachine(parts));
    },
  };
}

function prepare({ isolate, load, execute, isLoaded, setOutput }: Machine): PreparedPython {
  // On a thread of isolated-vm's own. Whoever enters the isolate before it is done waits for its lock.
  load.apply(undefined, [false]).catch(() => {});
  return {
    get isLoaded() {
      return isLoaded();
    },
    ready() {
      if (isLoaded()) return;
      load.applySync(undefined, [false]);
      if (!isLoaded()) throw new Error("the interpreter does not load");
    },
    enter(order, timeoutMs, output) {
      if (!isLoaded()) throw new Error("an interpreter was entered before it was ready");
      setOutput(output);
      return enterIsolate(isolate, execute, JSON.stringify(order), timeoutMs);
    },
    dispose() {
      if (!isolate.isDisposed) isolate.dispose();
    },
  };
}

interface BuiltSnapshot {
  /** As the loader makes them. */
  bytes: Uint8Array;
  /** What `guest` evaluates to. */
  errorNumbersAt: number;
}

/** Makes a snapshot of an interpreter that has run `guest`: minutes are not asked of it, some seconds are. */
export async function buildSnapshot(files: PythonFiles, glue: string, guest: string): Promise<BuiltSnapshot> {
  const anchor = compileModule(files.wasm);
  const wasm = await anchor.compiled;
  const script = pythonScript({ ...files, glue }, null);
  const { isolate, load, interpreter } = createMachine({ script, wasm, stdlib: files.stdlib, filler: null });
  load.applySync(undefined, [true]);
  const errorNumbersAt = take(interpreter, "python").applySync(undefined, [guest]) as number;
  const made = take(interpreter, "snapshot").applySync(undefined, [], { result: { copy: true } }) as ArrayBuffer;
  const bytes = new Uint8Array(made);
  isolate.dispose();
  anchor.isolate.dispose();
  return { bytes, errorNumbersAt };
}
