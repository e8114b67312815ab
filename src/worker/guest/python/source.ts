/**
 * The text that every isolate of the Python engine starts with: the shell, pyodide's own loader and glue, and what holds
 * them together. Runs in the worker; what it makes runs in the isolate, never here.
 */

import { createOutput } from "./output.ts";
import { createShell, type PyodideLike, type ShellOptions } from "./shell.ts";
import { createText } from "./text.ts";

/** What pyodide's package gives as text; the glue as it is trimmed. */
interface PyodideTexts {
  loader: string;
  glue: string;
  lock: string;
}

/** One program for an interpreter, and what it is to do with it. */
export type Order = ShellOptions & {
  source: string;
  /** Null where the program is to be read, not run. */
  run: {
    input: string | null;
    resultBytes: number;
    timerTurns: number;
    globals: string[] | null;
    modules: string[] | null;
    dynamicCode: boolean;
  } | null;
};

type Call = (...args: unknown[]) => unknown;

/** Of the interpreter: to run a program, and to read one. */
interface Ways {
  run: Call;
  inspect: Call;
}

/** Runs in the isolate after the loader, and writes into `loaded` when there is an interpreter. */
function createInterpreter(shell: ReturnType<typeof createShell>, lock: string, loaded: Int32Array) {
  "use strict";
  const scope = globalThis as unknown as Record<string, unknown>;
  const { sliceText, charCodeAt, parse, stringify } = shell;
  let call: Ways | null = null;
  let py: PyodideLike | null = null;
  let isLoading = false;
  const MAX_ANSWER = 16_777_216;
  /** What is None in Python; `null` would be an object of its own there. */
  const json = (names: string[] | null): string | undefined => (names === null ? undefined : stringify(names));

  /** As arguments, not as a JSON text: the loader hands texts over letter by letter, and Python would have to read it. */
  const obey = (way: Ways, { source, run }: Order): unknown => {
    if (run === null) return way.inspect(source);
    const { input, resultBytes, timerTurns, globals, modules, dynamicCode } = run;
    const seed = shell.drawInteger();
    const names = [json(globals), json(modules)];
    return way.run(source, input ?? undefined, resultBytes, timerTurns, seed, ...names, dynamicCode);
  };

  /** "N" is "no value": then the last printed line counts. Every other answer is handed on. */
  const execute = (text: string): string => {
    if (call === null || py === null) throw new Error("the interpreter is not loaded");
    const order = parse(text) as Order;
    shell.begin(order, py._module.HEAP8.buffer as ArrayBuffer);
    const answer = obey(call, order);
    shell.finish();
    if (typeof answer !== "string") return "X";
    if (charCodeAt(answer, 0) === 78) return `R${shell.lastLine()}`;
    return answer.length > MAX_ANSWER ? sliceText(answer, 0, MAX_ANSWER) : answer;
  };

  /** Programs of ours, the same in every isolate: a caller's would otherwise pay for code that was never used. */
  const WARM_UP = ["result = [x for x in (1, 2)]", "1 / 0"];
  const warmUp = (source: string): void => {
    const run = { input: null, resultBytes: 100, timerTurns: 1, globals: null, modules: null, dynamicCode: true };
    const order: Order = { source, run, now: 0, seed: 0, memoryMb: 8, stdoutBytes: 0, stdoutLines: 0 };
    execute(stringify(order));
  };

  /** Takes away what only the loading needed; a program finds an isolate with nothing in it. */
  const clear = (): void => {
    for (const name of ["Memory", "Module", "Instance", "Table", "Global", "Tag", "Exception", "JSTag"]) {
      const maker = (scope.WebAssembly as Record<string, { prototype?: object } | undefined>)[name];
      if (maker?.prototype) Reflect.deleteProperty(maker.prototype, "constructor");
    }
    const gone = ["WebAssembly", "SharedArrayBuffer", "Atomics", "createPyodideModule", "loadPyodide", "read", "load"];
    for (const name of [
      ...gone,
      "readbuffer",
      "sallyportHeapMax",
      "sallyportRestore",
      "WeakRef",
      "FinalizationRegistry",
    ]) {
      Reflect.deleteProperty(scope, name);
    }
  };

  /**
   * What is free still holds what was there before, and a page of zeros costs no interpreter anything: takes all that is to be
   * had below the end of what was ever in use, from large to small, and gives it back empty.
   */
  const wipeFree = (module: PyodideLike["_module"]): void => {
    const END_AT = module._emscripten_get_sbrk_ptr() >>> 2;
    const readEnd = (): number => new Uint32Array(module.HEAP8.buffer)[END_AT] as number;
    const end = readEnd();
    const taken: number[] = [];
    for (let bytes = 4_194_304; bytes >= 16; bytes /= 2) {
      while (readEnd() + bytes + 65_536 < module.HEAP8.length) {
        const at = module._malloc(bytes);
        if (at === 0) break;
        taken.push(at);
        module.HEAP8.fill(0, at, at + bytes);
        if (at + bytes > end) break;
      }
    }
    for (const at of taken) module._free(at);
  };
  const boot = async (isSnapshot: boolean): Promise<void> => {
    const loader = scope.loadPyodide as Parameters<typeof shell.boot>[0];
    py = await shell.boot(loader, scope.createPyodideModule, lock);
    if (isSnapshot) return;
    const start = py.globals.get("sallyport_start") as (advance: unknown) => { get(index: number): Call };
    py.globals.delete("sallyport_start");
    const started = start(shell.sleep);
    const [run, inspect, rehearse] = [started.get(0), started.get(1), started.get(2)];
    clear();
    call = { run: rehearse, inspect };
    for (const source of WARM_UP) warmUp(source);
    call = { run, inspect };
    // Plainly: what orders it for those who read it is the isolate's lock, which they take before they enter.
    loaded[0] = 1;
  };
  return {
    /** Loads, and leaves the interpreter ready. All of it within the same entry: nothing in it waits. */
    load(isSnapshot: boolean): void {
      // Asked for in the background, and by whoever cannot wait for that to begin.
      if (!isLoading) void boot(isSnapshot);
      isLoading = true;
    },
    execute,
    python: (source: string): unknown => py?.runPython(source),
    snapshot: (): ArrayBuffer => {
      if (py === null) throw new Error("nothing is loaded");
      wipeFree(py._module);
      const bytes = py.makeMemorySnapshot();
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    },
  };
}

export type Interpreter = ReturnType<typeof createInterpreter>;

/**
 * Evaluates to a function of the callback, the modules, the standard library and a flag that others read; that gives the
 * interpreter, which is yet to be loaded. `head`: of the snapshot, what the loader reads; null without one.
 */
export function pythonScript({ loader, glue, lock }: PyodideTexts, head: readonly number[] | null): string {
  const shell = `(${createShell})({ wasm, stdlib, filler, head: ${JSON.stringify(head)} }, text, output)`;
  // The loader stands beside what is ours, not in it: whatever it evaluates sees none of our names.
  return `((defineLoader) => function (host, wasm, stdlib, filler, loaded) {
const text = (${createText})();
const output = (${createOutput})((line, stream, isPart) => void host(line, stream, isPart), text.decodePart);
const shell = ${shell};
defineLoader();
return (${createInterpreter})(shell, ${JSON.stringify(lock)}, new Int32Array(loaded));
})(function () {
${loader}
${glue}
})`;
}
