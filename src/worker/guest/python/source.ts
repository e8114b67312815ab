/**
 * The text that every isolate of the Python engine starts with: the shell, pyodide's own loader and glue, and what holds
 * them together. Runs in the worker; what it makes runs in the isolate, never here.
 */

import { createOutput } from "./output.ts";
import { createShell, type PyodideLike, type ShellFiles, type ShellOptions, type SnapshotParts } from "./shell.ts";
import { createText } from "./text.ts";

/** What pyodide's package gives as text. */
export interface PyodideTexts {
  loader: string;
  glue: string;
  lock: string;
}

/** [text, replacement]: the set-up fails where a new version of pyodide no longer has the text. */
const EDITS: readonly (readonly [string, string])[] = [
  ["import.meta.url", '"file:///pyodide.asm.mjs"'],
  ["export default _createPyodideModule", "globalThis.createPyodideModule=_createPyodideModule"],
  ["var randomFill=view=>{(randomFill=initRandomFill())(view)};", "var randomFill=crypto.getRandomValues;"],
  ["var getHeapMax=()=>4294901760;", "var getHeapMax=globalThis.sallyportHeapMax;"],
  ["return Module.HEAP8.set(t),l", "return globalThis.sallyportRestore(Module.HEAP8),l"],
  // A stack of the interpreter's that ended is no output of the program.
  ["e||_dump_traceback();", ""],
];

function editGlue(glue: string): string {
  let edited = glue;
  for (const [text, replacement] of EDITS) {
    if (!edited.includes(text)) throw new Error(`pyodide.asm.mjs no longer holds: ${text}`);
    edited = edited.replaceAll(text, () => replacement);
  }
  return edited;
}

/** Runs in the isolate after the loader: `work` is what is done with the interpreter once it is there. */
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
export type { ShellFiles, ShellOptions };

/**
 * Evaluates to a function of the callback and the bytes; that gives the interpreter, which is yet to be loaded. `parts`: of
 * the snapshot among the bytes; null without one.
 */
export function pythonScript({ loader, glue, lock }: PyodideTexts, parts: SnapshotParts | null): string {
  const open = "(function (host, wasm, stdlib, snapshot) {\n";
  const made = [
    `const text = (${createText})();`,
    `const output = (${createOutput})((line) => void host(line), text.decodeUtf8);`,
    `const shell = (${createShell})({ wasm, stdlib, snapshot, parts: ${JSON.stringify(parts)} }, text, output);\n`,
  ];
  const shell = made.join("\n");
  const close = `\nreturn (${createInterpreter})(shell, ${JSON.stringify(lock)});\n})`;
  return `${open}${shell}${loader}\n${editGlue(glue)}${close}`;
}
