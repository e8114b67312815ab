/**
 * Reads a program: JavaScript first and untouched, TypeScript only where it is not JavaScript.
 * The one parser of engine and inspector, so that what the inspector cannot read the engine will not run.
 * Must never evaluate anything.
 */

import { Parser, type Program } from "acorn";
import { mendEnums } from "./enums.ts";
import { type Transpiled, transpile } from "./transpile.ts";

export interface Position {
  line: number;
  column: number;
}

export interface Parsed {
  dialect: "javascript" | "typescript";
  /** `module` where static import or export is there: it can be inspected, but not run. */
  kind: "script" | "module";
  /** The JavaScript that runs; line by line the source. */
  code: string;
  program: Program;
  /** From a 1-based position in `code` to the one in the source. */
  sourcePosition(position: Position): Position;
}

/** Why a source is no program. Positions are 1-based and in the source. */
export class ParseFailure extends Error {
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(message: string, position?: Position) {
    super(message);
    this.line = position?.line;
    this.column = position?.column;
  }
}

/** A construct that is TypeScript and is not supported: said whatever JavaScript's reader made of it. */
class Refusal extends ParseFailure {}

const TOO_DEEP = "The program is nested too deeply to be read.";

/** A program is the body of a function, where `using` may stand: acorn refuses it at the top level of a script. */
class BodyReader extends Parser {
  get allowUsing(): boolean {
    const { scopeStack } = this as unknown as { scopeStack: readonly unknown[] };
    return scopeStack.length === 1 || Reflect.get(Parser.prototype, "allowUsing", this) === true;
  }
}

/** What is refused with words of the reader that help nobody, in words that do. */
function explainRefusal(message: string, code: string, at: number): string {
  if (message === "Unexpected character '@'") {
    return "Decorators are not available in this sandbox: call the function on the class or method instead.";
  }
  if (message === "Unexpected token" && /[{};\s]accessor[ \t]+$/.test(code.slice(Math.max(0, at - 40), at))) {
    return "`accessor` fields are not available in this sandbox: write a getter and a setter.";
  }
  return message;
}

function parseAs(sourceType: "script" | "module", code: string): Program {
  try {
    return BodyReader.parse(code, {
      ecmaVersion: "latest",
      sourceType,
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowHashBang: false,
    });
  } catch (error) {
    if (error instanceof SyntaxError) {
      const { loc, pos } = error as SyntaxError & { loc?: Position; pos?: number };
      const message = error.message.replace(/ \(\d+:\d+\)$/, "");
      if (message.startsWith("Not enough stack space")) throw new ParseFailure(TOO_DEEP);
      throw new ParseFailure(
        explainRefusal(message, code, pos ?? 0),
        loc && { line: loc.line, column: loc.column + 1 },
      );
    }
    throw new ParseFailure(TOO_DEEP);
  }
}

function attempt<T>(action: () => T): T | ParseFailure {
  try {
    return action();
  } catch (error) {
    if (error instanceof ParseFailure) return error;
    throw error;
  }
}

/** Static import or export makes it a module; the word alone, in a string, does not. */
function parseEither(code: string): { kind: Parsed["kind"]; program: Program } | ParseFailure {
  const script = attempt(() => parseAs("script", code));
  if (!(script instanceof ParseFailure)) return { kind: "script", program: script };
  if (/\b(?:import|export)\b/.test(code)) {
    const program = attempt(() => parseAs("module", code));
    if (!(program instanceof ParseFailure)) return { kind: "module", program };
    if (isFurther(program, script)) return program;
  }
  return script;
}

/** The reader that got further understood more of the program: its complaint is the one to show. */
function isFurther(a: ParseFailure, b: ParseFailure): boolean {
  return (a.line ?? 0) > (b.line ?? 0) || (a.line === b.line && (a.column ?? 0) > (b.column ?? 0));
}

/** Same length as the source, so that every position holds: a `#!` line becomes a comment. */
function blankHashBang(source: string): string {
  return source.startsWith("#!") ? `//${source.slice(2)}` : source;
}

/** @throws ParseFailure */
export function parseSource(source: string): Parsed {
  const code = blankHashBang(source);
  const direct = parseEither(code);
  if (!(direct instanceof ParseFailure)) {
    return { dialect: "javascript", ...direct, code, sourcePosition: (position) => position };
  }
  if (direct.message === TOO_DEEP) throw direct;
  const transpiled = attempt(() => transpileOrFail(code));
  if (transpiled instanceof Refusal) throw transpiled;
  if (transpiled instanceof ParseFailure) throw isFurther(transpiled, direct) ? transpiled : direct;
  const typed = parseEither(transpiled.code);
  if (!(typed instanceof ParseFailure)) return withEnums(code, transpiled, typed);
  const mapped =
    typed.line === undefined
      ? typed
      : new ParseFailure(typed.message, transpiled.sourcePosition({ line: typed.line, column: typed.column ?? 1 }));
  throw isFurther(mapped, direct) ? mapped : direct;
}

function withEnums(source: string, transpiled: Transpiled, read: Pick<Parsed, "kind" | "program">): Parsed {
  const { code, sourcePosition } = transpiled;
  const mended = /\benum\b/.test(source) ? mendEnums(code, read.program) : null;
  const reread = mended && parseEither(mended.code);
  if (!mended || !reread || reread instanceof ParseFailure) {
    return { dialect: "typescript", ...read, code, sourcePosition };
  }
  return {
    dialect: "typescript",
    ...reread,
    code: mended.code,
    sourcePosition: (position) => sourcePosition(mended.before(position)),
  };
}

function transpileOrFail(code: string): Transpiled {
  const outcome = transpile(code);
  if ("code" in outcome) return outcome;
  const Failure = outcome.unsupported ? Refusal : ParseFailure;
  throw new Failure(outcome.message, outcome.position);
}
