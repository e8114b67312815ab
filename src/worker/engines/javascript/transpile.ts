/**
 * TypeScript to JavaScript by sucrase, pure JavaScript: types go, lines stay, positions map back.
 * Must refuse what sucrase would drop in silence (namespaces), and never run on source that is JavaScript.
 */

import { createRequire } from "node:module";
import { decode } from "@jridgewell/sourcemap-codec";

export interface Transpiled {
  code: string;
  sourcePosition(position: { line: number; column: number }): { line: number; column: number };
}

export interface TranspileFailure {
  message: string;
  /** TypeScript that is understood, and refused. */
  unsupported: boolean;
  position?: { line: number; column: number };
}

/** Loaded when a program first needs it: most do not, and a worker starts sooner without it. */
let sucrase: typeof import("sucrase") | null = null;
let loadingMs = 0;

function loadSucrase(): typeof import("sucrase") {
  if (sucrase) return sucrase;
  const started = performance.now();
  sucrase = createRequire(import.meta.url)("sucrase") as typeof import("sucrase");
  // The first source takes as long as the loading: it is one of ours.
  sucrase.transform("const one: number = 1;", { transforms: ["typescript"] });
  loadingMs = performance.now() - started;
  return sucrase;
}

/** What most TypeScript has and hardly any JavaScript: where it is not seen, loading waits until a parser wants it. */
const LIKELY =
  /:\s*(?:string|number|boolean|any|unknown|void|never|object)\b|\b(?:interface|enum|type)\s+[A-Z]|\bas\s+(?:const|[A-Za-z])/;

/** Before a program's clock starts: loads what reads TypeScript where the program looks like it. */
export function loadForTypeScript(source: string): void {
  if (sucrase === null && LIKELY.test(source)) loadSucrase();
}

/** Milliseconds that loading took since the last question: no program pays for that with its time. */
export function takeLoadingMs(): number {
  const taken = loadingMs;
  loadingMs = 0;
  return taken;
}

/** Statements that TypeScript gives a meaning at run time, and sucrase does not. `declare` has none. */
const UNSUPPORTED = /(^|[;{}\n])([ \t]*)(export[ \t]+)?((?:namespace|module)[ \t]+[\w$."']+[ \t\n]*\{|export[ \t]*=)/g;

/** Text of the same length with comments and string contents blanked: good enough to look for statements. */
function blankText(source: string): string {
  return source.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g,
    (text) => text.replace(/[^\n]/g, " "),
  );
}

function findUnsupported(source: string): TranspileFailure | null {
  const match = UNSUPPORTED.exec(blankText(source));
  UNSUPPORTED.lastIndex = 0;
  if (!match) return null;
  const start = match.index + (match[1]?.length ?? 0) + (match[2]?.length ?? 0);
  const before = source.slice(0, start);
  const line = before.split("\n").length;
  return {
    unsupported: true,
    message: "TypeScript namespaces and `export =` cannot be transpiled here: use plain objects, functions or classes.",
    position: { line, column: start - before.lastIndexOf("\n") },
  };
}

export function transpile(source: string): Transpiled | TranspileFailure {
  const unsupported = findUnsupported(source);
  if (unsupported) return unsupported;
  // Outside of the attempt: that it cannot be loaded is no fault of the program.
  const { transform } = loadSucrase();
  try {
    const { code, sourceMap } = transform(source, {
      transforms: ["typescript"],
      disableESTransforms: true,
      keepUnusedImports: true,
      preserveDynamicImport: true,
      filePath: "source.ts",
      sourceMapOptions: { compiledFilename: "source.js" },
    });
    return { code, sourcePosition: createPositionMap(sourceMap?.mappings ?? "") };
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError) {
      return { unsupported: false, message: "The program is nested too deeply to be transpiled from TypeScript." };
    }
    const loc = (error as Error & { loc?: { line: number; column: number } }).loc;
    const detail = error.message.replace(/^Error transforming [^:]*: /, "").replace(/ \(\d+:\d+\)$/, "");
    return {
      unsupported: false,
      message: `Neither JavaScript nor TypeScript that can be transpiled: ${detail}`,
      ...(loc && { position: { line: loc.line, column: loc.column } }),
    };
  }
}

/** Decodes the map only when a position is asked for: most programs do not fail. */
function createPositionMap(mappings: string): Transpiled["sourcePosition"] {
  return ({ line, column }) => {
    const segments = decode(mappings)[line - 1] ?? [];
    let nearest: { generated: number; source: number } = { generated: 0, source: 0 };
    for (const [generated, , , source] of segments) {
      if (generated > column - 1) break;
      nearest = { generated, source: source ?? generated };
    }
    return { line, column: nearest.source + (column - 1 - nearest.generated) + 1 };
  };
}
