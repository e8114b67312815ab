/**
 * The command line as data: commands, options, help. Each command's code is loaded when it is called.
 * Must not print or start anything itself, save for help and wrong use.
 */

import { readFileSync } from "node:fs";
import { Command, CommanderError, Help, Option } from "commander";
import { parseConcurrency, parseLanguage, parseLimit, parseNames } from "./arguments.ts";
import type {
  BatchOptions,
  CommonOptions,
  DoctorOptions,
  InspectOptions,
  RunOptions,
  VerifyOptions,
} from "./command-options.ts";
import { EXIT, UsageError } from "./fault.ts";
import { describeCommand, EPILOGUE, INTRODUCTION } from "./help.ts";
import { readQuestion } from "./question.ts";
import { createStyle, hasColor } from "./style.ts";

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Commands that make calls, and so receipts. */
const WITH_RECEIPTS: readonly string[] = ["run", "batch", "graph"];

function isTaken(command: Command, long: string | null | undefined): boolean {
  return long !== "--receipts" || WITH_RECEIPTS.includes(command.name());
}

/** An option that does nothing is refused: whoever gave it relies on a record. */
function refuseReceipts(command: Command): void {
  if (command.optsWithGlobals<CommonOptions>().receipts === undefined || isTaken(command, "--receipts")) return;
  // A question is asked by the program itself, and without one it is the tour.
  if (command.parent === null && command.args.length > 0) return;
  const name = command.parent === null ? "the tour" : command.name();
  throw new UsageError(
    `--receipts: ${name} makes no calls of yours, and so no receipts: run, batch, graph and a question do`,
  );
}

function createProgram(setExitCode: (code: number) => void): Command {
  const style = createStyle(process.stdout);
  const program = new Command("sallyport");
  program
    .exitOverride()
    .configureOutput({
      getOutHasColors: () => hasColor(process.stdout),
      getErrHasColors: () => hasColor(process.stderr),
      getOutHelpWidth: () => style.columns,
      outputError: (text, write) =>
        write(
          `sallyport: ${text
            .replace(/^error: /, "")
            .trim()
            .replace(/\s+/g, " ")} (--help tells how)\n`,
        ),
    })
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions(command) {
        const options = Help.prototype.visibleGlobalOptions.call(this, command);
        return options.filter(({ long }) => isTaken(command, long));
      },
      styleTitle: (title) => style.bold(title),
      styleCommandText: (text) => style.cyan(text),
      styleSubcommandText: (text) => style.cyan(text),
      styleOptionText: (text) => style.cyan(text),
    })
    .addHelpText("before", `${INTRODUCTION}\n`)
    .usage('[options] [command | "question"]')
    .helpCommand(false)
    .version(readVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .option("--policy <name|file>", "strict, standard, allow-all, or a policy document in JSON", "standard")
    .addOption(
      new Option("--containment <kind>", "what workers run inside")
        .choices(["auto", "container", "bubblewrap", "process"])
        .default("auto"),
    )
    .option("--receipts <file>", "append every call's receipt to a file that `receipts verify` checks")
    .argument("[question...]", "a question for a real model; nothing at all: the tour")
    .action(async (words: string[], options: CommonOptions) => {
      if (words.length === 0) return setExitCode(await (await import("./tour.ts")).showTour(options));
      const question = readQuestion(words, program.commands);
      setExitCode(await (await import("./ask.ts")).askQuestion(question, options));
    });

  program.hook("preAction", (_, command) => refuseReceipts(command));
  program.addHelpText("after", `\n${EPILOGUE}`);

  const run = describeCommand(program, "run").argument("[file]", "a program; - or nothing: standard input");
  run
    .option("--language <name>", "javascript, typescript or python (default: by the file's extension)", parseLanguage)
    .option("--input <file>", "JSON that the program sees as `input`")
    .option("--limit <name=value>", "set a limit, for example timeoutMs=5000; may be repeated", parseLimit, {})
    .option("--json", "print the observation as one line of JSON")
    .action(async (file: string | undefined) => {
      setExitCode(await (await import("./run.ts")).runFile(file, run.optsWithGlobals<RunOptions>()));
    });

  const inspect = describeCommand(program, "inspect").argument("[file]", "a program; - or nothing: standard input");
  inspect
    .option("--language <name>", "javascript, typescript or python (default: by the file's extension)", parseLanguage)
    .option("--json", "print manifest and decision as one line of JSON")
    .action(async (file: string | undefined) => {
      setExitCode(await (await import("./inspect.ts")).inspectFile(file, inspect.optsWithGlobals<InspectOptions>()));
    });

  const batch = describeCommand(program, "batch");
  batch
    .option("--concurrency <n>", "runs at the same time (default: the number of cores)", parseConcurrency)
    .action(async () =>
      setExitCode(await (await import("./batch.ts")).runBatch(batch.optsWithGlobals<BatchOptions>())),
    );

  const receipts = describeCommand(program, "receipts");
  const verify = receipts.command("verify").argument("<file>").summary("whether every line is as it was written");
  verify
    .option("--head <hash>", "a head that was kept elsewhere: shows lines that were cut off at the end")
    .option("--json", "print the report as one line of JSON")
    .action(async (file: string) => {
      setExitCode(await (await import("./receipts.ts")).verifyFile(file, verify.opts<VerifyOptions>()));
    });

  const graph = describeCommand(program, "graph");
  graph.action(async () =>
    setExitCode(await (await import("./graph.ts")).runGraphLines(graph.optsWithGlobals<CommonOptions>())),
  );

  const doctor = describeCommand(program, "doctor");
  doctor
    .option("--json", "print the report as one line of JSON")
    .option("--require <layers>", "layers that have to be there, with commas between them", parseNames)
    .option("--attacks", "also run programs and workers that attack this machine, and see them fail")
    .action(async () =>
      setExitCode(await (await import("./doctor.ts")).showDoctor(doctor.optsWithGlobals<DoctorOptions>())),
    );

  describeCommand(program, "container")
    .argument("<build>", "the one thing to do")
    .action(async (what: string) => {
      if (what !== "build") throw new UsageError(`container build is all there is, not container ${what}`);
      setExitCode(await (await import("./container.ts")).buildContainerImage());
    });

  return program;
}

/** Runs what `argv` (without node and script) asks for; resolves to the exit code, rejects with a fault. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.fault;
  }
  return exitCode;
}
