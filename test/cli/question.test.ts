/**
 * What counts as a question to a model: nothing that may be a mistyped command, and nothing in pieces.
 */

import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { languageOfFile } from "../../src/cli/arguments.ts";
import { UsageError } from "../../src/cli/fault.ts";
import { readQuestion } from "../../src/cli/question.ts";

const COMMANDS = ["run", "inspect", "batch", "graph"].map((name) => new Command(name));

describe("a question", () => {
  it.each(["What is the 100th prime?", "why?", "list primes", "第100个素数是多少", "Quoi\u00a0donc"])(
    "is %j",
    (question) => {
      expect(readQuestion([question], COMMANDS)).toBe(question);
    },
  );

  it.each<[words: string[], sentence: RegExp]>([
    [["inspct", "program.ts"], /no command "inspct" \(Did you mean inspect\?\)/],
    [["inspct"], /Did you mean inspect/],
    [["Run"], /no command "Run"/],
    [["bacth"], /Did you mean batch/],
    [["program.ts"], /no command "program.ts": a question is one argument in quotes/],
    [["what", "is", "it?"], /one argument in quotes/],
    [["what is", "it?"], /one argument in quotes/],
    [[""], /no command ""/],
    [["  "], /no command/],
    [["help"], /no command "help"/],
    [["constructor"], /no command "constructor"/],
  ])("is not %j", (words, sentence) => {
    expect(() => readQuestion(words, COMMANDS)).toThrow(UsageError);
    expect(() => readQuestion(words, COMMANDS)).toThrow(sentence);
  });
});

describe("the language of a file", () => {
  it.each([
    ["-", "javascript"],
    ["program", "javascript"],
    ["folder.rb/program", "javascript"],
    ["/dev/fd/63", "javascript"],
    [".hidden", "javascript"],
    ["a.MJS", "javascript"],
    ["a.b.ts", "javascript"],
    ["a.py", "python"],
  ])("%s is %s", (path, language) => {
    expect(languageOfFile(path)).toBe(language);
  });

  it.each(["x.rb", "x.txt", "x.js.bak", "x.constructor", "x.tsx"])("%s is not guessed", (path) => {
    expect(() => languageOfFile(path)).toThrow(/names no language known here .*--language/);
  });
});
