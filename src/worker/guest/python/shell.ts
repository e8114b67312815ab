/**
 * What pyodide's loader expects around it, made inside the isolate before anything else: files from memory, a virtual
 * clock, seeded chance, and lines of output that leave through the one captured callback. It reaches nothing outside.
 */

import type { createOutput } from "./output.ts";
import type { createText } from "./text.ts";

/** What the worker tells the shell of one run; the rest is the runner's, in Python. */
export interface ShellOptions {
  now: number;
  seed: number;
  memoryMb: number;
  stdoutBytes: number;
  stdoutLines: number;
}

/**
 * What the loader asks for, by the name that it asks with. The modules are compiled and nobody can write to them. Every
 * isolate of the worker reads the same bytes of the standard library, so none may keep them: a program reaches whatever the
 * loader has stored, and could write into the interpreters after its own.
 */
export interface ShellFiles {
  /** The interpreter's module. */
  wasm: object | null;
  stdlib: SharedArrayBuffer | null;
  /** The module that fills a new interpreter's memory; null where a snapshot is yet to be made. */
  filler: object | null;
  /** Of the snapshot: what the loader reads itself. */
  head: readonly number[] | null;
}

export function createShell(
  files: ShellFiles,
  text: ReturnType<typeof createText>,
  output: ReturnType<typeof createOutput>,
) {
  "use strict";
  const scope = globalThis as unknown as Record<string, unknown>;
  const { parse, stringify } = JSON;
  const { min, floor, imul } = Math;
  const Bytes = Uint8Array;
  const PAGE = 65536;
  const MIB = 1048576;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call) as (
    method: unknown,
  ) => (self: unknown, ...args: unknown[]) => unknown;
  const sliceText = uncurry(String.prototype.slice) as (text: string, from: number, to?: number) => string;
  const charCodeAt = uncurry(String.prototype.charCodeAt) as (text: string, at: number) => number;
  const byteLengthOf = uncurry(
    Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength")?.get as unknown,
  ) as (buffer: ArrayBuffer) => number;
  const NativeDate = Date;

  // Clock: it moves by sleeping alone.
  let startMs = 0;
  let elapsedMs = 0;
  const nowMs = (): number => startMs + elapsedMs;
  const define = (holder: object, name: string, value: unknown): void => {
    Object.defineProperty(holder, name, { value, writable: true, enumerable: false, configurable: true });
  };
  define(
    scope,
    "Date",
    new Proxy(NativeDate, {
      construct: (target, args, maker) => Reflect.construct(target, args.length === 0 ? [nowMs()] : args, maker),
      apply: () => `${new NativeDate(nowMs())}`,
    }),
  );
  define(NativeDate, "now", () => floor(nowMs()));
  // Whatever else could tell the real time, or lead to it.
  define(NativeDate.prototype, "constructor", scope.Date);
  for (const name of ["Temporal", "Intl"]) Reflect.deleteProperty(scope, name);
  define(scope, "performance", { now: () => elapsedMs, timeOrigin: 0 });

  // Chance: xoshiro128**, seeded by the host for each run.
  let s0 = 1;
  let s1 = 2;
  let s2 = 3;
  let s3 = 4;
  const rotate = (x: number, by: number): number => (x << by) | (x >>> (32 - by));
  const draw = (): number => {
    const drawn = imul(rotate(imul(s1, 5), 7), 9) >>> 0;
    const shifted = s1 << 9;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= shifted;
    s3 = rotate(s3, 11);
    return drawn;
  };
  const sow = (seed: number): void => {
    let state = (seed >>> 0) ^ imul(floor(seed / 4294967296) >>> 0, 0x9e3779b1);
    const next = (): number => {
      state = (state + 0x9e3779b9) | 0;
      let mixed = imul(state ^ (state >>> 16), 0x21f0aaad);
      mixed = imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return (mixed ^ (mixed >>> 15)) | 0;
    };
    s0 = next() ^ floor(seed / 4294967296);
    s1 = next();
    s2 = next();
    s3 = next() | 1;
    for (let round = 0; round < 16; round++) draw();
  };
  define(Math, "random", () => draw() / 4294967296);
  define(scope, "crypto", {
    getRandomValues(view: Uint8Array): Uint8Array {
      for (let index = 0; index < view.length; index++) view[index] = draw() >>> 24;
      return view;
    },
  });

  // Memory: how far the interpreter's own may grow in this run.
  let heapMax = 512 * MIB;
  define(scope, "sallyportHeapMax", () => heapMax);

  // Text: what a bare isolate lacks.
  define(scope, "TextDecoder", text.Decoder);
  define(scope, "TextEncoder", text.Encoder);

  // A collection comes when it likes, and what it would have the interpreter free would lie where a program's objects lie next.
  define(
    scope,
    "FinalizationRegistry",
    class {
      register(): void {}
      unregister(): void {}
    },
  );

  // What the loader takes for a command-line JavaScript shell.
  const nothing = (): void => {};
  const unknownFile = (name: string): never => {
    throw new Error(`there is no file ${name}`);
  };
  define(scope, "read", unknownFile);
  define(scope, "load", unknownFile);
  define(scope, "readbuffer", (name: string) => {
    // An empty array stands for the interpreter's module, which is compiled already.
    if (name.endsWith(".wasm")) return new Bytes(0);
    return name.endsWith(".zip") && files.stdlib !== null ? new Bytes(files.stdlib) : unknownFile(name);
  });
  define(scope, "console", { log: nothing, info: nothing, debug: nothing, warn: nothing, error: nothing });
  for (const name of ["setTimeout", "setInterval", "clearTimeout", "clearInterval"]) define(scope, name, () => 0);
  define(scope, "queueMicrotask", (callback: () => void) => void Promise.resolve().then(callback));
  define(scope, "AbortController", class {});
  define(scope, "AbortSignal", class {});
  define(
    scope,
    "URL",
    class {
      readonly href: string;
      constructor(href: string) {
        this.href = href;
      }
      toString(): string {
        return this.href;
      }
    },
  );
  // Started at once: nobody would turn an event loop for a promise of V8's own.
  const engine = scope.WebAssembly as {
    Module: new (source: unknown) => object;
    Instance: new (module: object, imports: unknown) => object;
  };
  const { Module, Instance } = engine;
  const compile = (source: unknown): object =>
    (source as Uint8Array).length === 0 ? (files.wasm as object) : new Module(source);
  define(engine, "compile", async (source: unknown) => compile(source));
  define(engine, "instantiate", async (source: unknown, imports?: unknown) => {
    if (source instanceof Module) return new Instance(source, imports);
    const module = compile(source);
    return { module, instance: new Instance(module, imports) };
  });
  // The loader's own way writes zeros as well, and copies from bytes that others could write to.
  define(
    scope,
    "sallyportRestore",
    (memory: object) => void new Instance(files.filler as object, { m: { m: memory } }),
  );

  const sleep = (seconds: unknown): void => {
    if (typeof seconds === "number" && seconds > 0) elapsedMs += min(seconds * 1000, 1e15);
  };

  /** Loads the interpreter, and forgets the files. */
  const boot = async (
    load: (options: object) => Promise<PyodideLike>,
    createPyodideModule: unknown,
    lock: string,
  ): Promise<PyodideLike> => {
    const { head } = files;
    const py = await load({
      indexURL: "/pyodide/",
      packageBaseUrl: "/pyodide/",
      lockFileContents: parse(lock),
      createPyodideModule,
      jsglobals: Object.create(null),
      stdin: () => undefined,
      stdout: nothing,
      stderr: nothing,
      env: { HOME: "/home/sandbox", PYTHONHASHSEED: "0", TZ: "UTC" },
      // A copy of its own: the loader keeps its options where a program finds them.
      ...(head === null ? { _makeSnapshot: true } : { _loadSnapshot: new Bytes(head) }),
    });
    py.setStdout({ write: output.stdout.write, isatty: false });
    py.setStderr({ write: output.stderr.write, isatty: false });
    files.wasm = null;
    files.stdlib = null;
    files.filler = null;
    return py;
  };

  return {
    boot,
    sleep,
    /** A whole number of 53 bits. */
    drawInteger: (): number => (draw() >>> 11) * 4294967296 + draw(),
    begin(options: ShellOptions, heap: ArrayBuffer): void {
      startMs = options.now;
      elapsedMs = 0;
      sow(options.seed);
      heapMax = floor((byteLengthOf(heap) + options.memoryMb * MIB) / PAGE) * PAGE;
      output.open(options.stdoutBytes, options.stdoutLines);
    },
    finish(): void {
      output.stdout.flush();
      output.stderr.flush();
    },
    /** The last printed line as JSON; null where nothing was printed. */
    lastLine: (): string => {
      const line = output.lastLine();
      return line === null ? "null" : stringify(line);
    },
    parse: parse as (text: string) => unknown,
    stringify: stringify as (value: unknown) => string,
    sliceText,
    charCodeAt,
  };
}

/** The little of pyodide's interface that is used here. */
export interface PyodideLike {
  runPython(source: string): unknown;
  setStdout(options: object): void;
  setStderr(options: object): void;
  makeMemorySnapshot(): Uint8Array;
  globals: { get(name: string): unknown; delete(name: string): void };
  _module: {
    HEAP8: Int8Array;
    _malloc(bytes: number): number;
    _free(at: number): void;
    /** Where it is written how much of the memory was ever asked for. */
    _emscripten_get_sbrk_ptr(): number;
  };
}
