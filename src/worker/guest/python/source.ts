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

/** Runs in the isolate after the loader. */
function createInterpreter(shell: ReturnType<typeof createShell>, lock: string) {
  "use strict";
  const scope = globalThis as unknown as Record<string, unknown>;
  const { sliceText, charCodeAt, parse, stringify } = shell;
  let run: ((...args: unknown[]) => unknown) | null = null;
  let py: PyodideLike | null = null;
  let isLoading = false;
  const MAX_ANSWER = 16_777_216;

  /** "N" is "no value": then the last printed line counts. Every other answer is handed on. */
  const execute = (shellText: string, runnerText: string): string => {
    if (run === null || py === null) throw new Error("the interpreter is not loaded");
    shell.begin(parse(shellText) as ShellOptions, py._module.HEAP8.buffer as ArrayBuffer);
    const answer = run(runnerText, shell.sleep);
    shell.finish();
    if (typeof answer !== "string") return "X";
    if (charCodeAt(answer, 0) === 78) return `R${shell.lastLine()}`;
    return answer.length > MAX_ANSWER ? sliceText(answer, 0, MAX_ANSWER) : answer;
  };

  /** Programs of ours, the same in every isolate: a caller's would otherwise pay for code that was never used. */
  const WARM_UP = ["result = [x for x in (1, 2)]", "1 / 0"];
  const warmUp = (source: string): void => {
    const shellText = '{"now":0,"seed":0,"memoryMb":8,"stdoutBytes":0,"stdoutLines":0}';
    const limits = '"input":null,"timerTurns":1,"resultBytes":100,"globals":null,"modules":null,"dynamicCode":true';
    execute(shellText, `{"source":${stringify(source)},${limits}}`);
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
  return {
    /** Loads, and leaves the interpreter ready. Resolves within the same entry: nothing in it waits. */
    async load(isSnapshot: boolean): Promise<void> {
      // Asked for in the background, and by whoever cannot wait for that to begin.
      if (isLoading) return;
      isLoading = true;
      const loader = scope.loadPyodide as Parameters<typeof shell.boot>[0];
      py = await shell.boot(loader, scope.createPyodideModule, lock);
      if (isSnapshot) return;
      run = py.globals.get("sallyport_run") as (...args: unknown[]) => unknown;
      py.globals.delete("sallyport_run");
      clear();
      for (const source of WARM_UP) warmUp(source);
    },
    python(source: string): void {
      py?.runPython(source);
    },
    snapshot: (): ArrayBuffer => {
      if (py === null) throw new Error("nothing is loaded");
      wipeFree(py._module);
      const bytes = py.makeMemorySnapshot();
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    },
    /** The way to run a program, once it is loaded; after that nothing of ours can be reached by a name. */
    take: (): unknown => {
      if (run === null) return undefined;
      Reflect.deleteProperty(scope, "interpreter");
      return execute;
    },
  };
}

export type Interpreter = ReturnType<typeof createInterpreter>;
export type { ShellOptions };

/**
 * Evaluates to a function of the callback, the modules and the standard library; that gives the interpreter, which is yet to
 * be loaded. `head`: of the snapshot, what the loader reads; null without one.
 */
export function pythonScript({ loader, glue, lock }: PyodideTexts, head: readonly number[] | null): string {
  const open = "(function (host, wasm, stdlib, filler) {\n";
  const made = [
    `const text = (${createText})();`,
    `const output = (${createOutput})((line) => void host(line), text.decodeUtf8);`,
    `const shell = (${createShell})({ wasm, stdlib, filler, head: ${JSON.stringify(head)} }, text, output);\n`,
  ];
  const shell = made.join("\n");
  const close = `\nreturn (${createInterpreter})(shell, ${JSON.stringify(lock)});\n})`;
  return `${open}${shell}${loader}\n${glue}${close}`;
}
