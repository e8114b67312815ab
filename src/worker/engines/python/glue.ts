/**
 * Pyodide's glue as our isolates run it: without what only modules that are linked later could use, which costs time and
 * memory in every isolate, called or not. Made once, when the snapshot is built; a snapshot fits no other glue.
 */

/** [text, replacement]: the set-up fails where a new version of pyodide no longer has the text. */
const EDITS: readonly (readonly [text: string, replacement: string])[] = [
  ["import.meta.url", '"file:///pyodide.asm.mjs"'],
  ["export default _createPyodideModule", "globalThis.createPyodideModule=_createPyodideModule"],
  ["var randomFill=view=>{(randomFill=initRandomFill())(view)};", "var randomFill=crypto.getRandomValues;"],
  ["var getHeapMax=()=>4294901760;", "var getHeapMax=globalThis.sallyportHeapMax;"],
  ["return Module.HEAP8.set(t),l", "return globalThis.sallyportRestore(Module.memory),l"],
  // The only zone there is has a name.
  ["return`UTC${sign}${hours}${minutes}`", 'return"UTC"'],
  // A stack of the interpreter's that ended is no output of the program.
  ["e||_dump_traceback();", ""],
  // Places in the table of functions for all that is offered to modules that are linked later.
  ["updateGOT(origExports);", ""],
  // A look at the whole table, for functions that are in it already: what is put there here never is.
  ["functionsInTableMap=new WeakMap;updateTableMap(0,wasmTable.length)", "functionsInTableMap=new WeakMap"],
  // Graphics: a small module would be compiled for each of some 280 functions.
  [
    "{entry.value=addFunction(value,value.sig)}",
    '{entry.value=symName.startsWith("emscripten_gl")?0:addFunction(value,value.sig)}',
  ],
  // To look up a function of the glue's own is to find nothing: a module would have to be compiled for it, which is over.
  [
    "if(newSymIndex==-1||lib.exports[symbol].stub){",
    'if(newSymIndex==-1||lib.exports[symbol].stub||typeof lib.exports[symbol]=="function"&&!(parseInt(lib.exports[symbol].name)>=0)){',
  ],
];

/** A text that is evaluated directly sees every name around the glue: there a program would find what is not its own. */
const DIRECT_EVAL = /(?<![\w$.])eval\(/g;
/** Where the glue takes everything that the module offers: variables of its own, and a statement for each of them. */
const TAKING = /var (?:[\w$]+,)+wasmTable,wasmMemory;function assignWasmExports\(wasmExports\)\{([^{}]*)\}/;
const CONVERTING = /wasmExports\["([^"]+)"\]=makeWrapper_\w+\(wasmExports\["\1"\]\);/g;
const VARIABLE = /^([\w$]+)=/;
/** What is needed by another name, and what our shell itself uses. */
const NEEDED = ["memory", "__indirect_function_table", "_malloc", "_free", "_emscripten_get_sbrk_ptr"];
const USE = /(?<![\w$])_[\w$]+/g;
const TAKEN = /wasmExports(?:\["([^"]+)"\]|\.(\w+))/g;
/** Looked for among all there is, by a name that is put together. */
const MAIN = "__main_argc_argv";
/** The glue asks whether they are there. */
const OPTIONAL = ["run_main_promising"];

export interface TrimmedGlue {
  glue: string;
  /** Functions and globals that it takes from the module. */
  exports: ReadonlySet<string>;
}

/**
 * @param loader the other text that uses the glue's variables
 * @throws Error where a new version of pyodide is written in another way
 */
export function trimGlue(glue: string, loader: string): TrimmedGlue {
  const found = TAKING.exec(glue);
  if (DIRECT_EVAL.test(loader)) throw new Error("pyodide.js evaluates texts directly");
  if (found === null) throw new Error("pyodide.asm.mjs no longer takes the module's exports in one place");
  const [taking, statements = ""] = found;
  const before = glue.slice(0, found.index);
  const after = glue.slice(found.index + taking.length);
  const used = new Set([before, after, loader].flatMap((text) => text.match(USE) ?? []));
  const kept = statements.split(";").filter((statement) => {
    const variable = VARIABLE.exec(statement)?.[1] ?? "";
    return NEEDED.includes(variable) || used.has(variable);
  });
  const variables = kept.flatMap((statement) => VARIABLE.exec(statement)?.[1] ?? []);
  const trimmed = [
    before,
    `var ${[...variables, "wasmTable", "wasmMemory"].join()};`,
    `function assignWasmExports(wasmExports){${kept.join(";")}}`,
    after.replace(CONVERTING, (statement, name: string) => (used.has(`_${name}`) ? statement : "")),
  ];
  const edited = EDITS.reduce(replaceText, trimmed.join("")).replace(DIRECT_EVAL, "(0,eval)(");
  const taken = Array.from(edited.matchAll(TAKEN), ([, quoted, plain]) => quoted ?? plain ?? "");
  return { glue: edited, exports: new Set([...taken, MAIN].filter((name) => !OPTIONAL.includes(name))) };
}

function replaceText(text: string, [from, to]: readonly [string, string]): string {
  if (!text.includes(from)) throw new Error(`pyodide.asm.mjs no longer holds: ${from}`);
  return text.replaceAll(from, () => to);
}
