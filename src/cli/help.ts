/**
 * The words of `--help`: what the command is for, each subcommand with examples, exit codes, environment.
 * Text only: options and their parsing are in program.ts.
 */

import type { Command } from "commander";

export const INTRODUCTION = `Sallyport runs code that a language model wrote, without handing it the host.
Called with nothing it shows the tour: the threats, and what becomes of each.`;

export const EPILOGUE = `Examples:
  sallyport                                        the tour
  sallyport run program.ts --limit timeoutMs=5000
  echo 'return 6 * 7' | sallyport run --json -
  sallyport inspect program.js --policy strict
  sallyport batch --concurrency 4 < lines.jsonl
  sallyport doctor                                 what isolates a program here
  sallyport "What is the 100th prime?"             needs a model, see below

Exit codes:
  0  what was asked for went well
  1  it ended, but not well: the code failed, was refused or was stopped
  2  wrong use, or something is missing on this machine

Environment:
  OPENAI_API_KEY     key for the model that answers questions
  OPENAI_BASE_URL    any OpenAI-compatible server
  SALLYPORT_MODEL    its model
  SALLYPORT_RECEIPT_KEY  secret that keys the hashes of --receipts
  SALLYPORT_DEBUG    anything: stack traces on faults
  NO_COLOR           anything: no colour`;

const COMMANDS = {
  run: {
    summary: "run one program through the graph",
    details:
      "The program is a tool call in the real graph: validate, policy, execute, observe. Prints what a model would be told.",
    more: "",
  },
  inspect: {
    summary: "what a program mentions, and what the policy says of it, rule by rule",
    details: "Runs nothing. Exit code 0 where the policy would let the program run, 1 where it would not.",
    more: "",
  },
  batch: {
    summary: "run JSON lines from standard input, answer in the same order",
    details:
      "One program a line, one observation a line. Exit code 0 when every line was answered, however it ended; 2 where a line's language cannot start on this machine: such a line is answered as unavailable, the others run.",
    more: `A line in:   {"id":"a","language":"javascript","source":"return input * 2","input":21,"limits":{"timeoutMs":500}}
A line out:  {"id":"a","ok":true,"status":"ok","result":42,…}
A bad line:  {"id":null,"ok":false,"status":"rejected","error":"InvalidLine","message":…}`,
  },
  doctor: {
    summary: "what isolates a program on this machine, layer by layer, probed",
    details:
      "Starts a sandbox, tries from inside what is forbidden, looks from outside, and says what is missing and how to get it. Exit code 1 where a layer of --require is missing, a language is there and does not work, or an attack of --attacks succeeds.",
    more: `Examples:
  sallyport doctor
  sallyport doctor --require network,seccomp && node my-agent.js
  sallyport doctor --attacks --containment process`,
  },
  container: {
    summary: "build the image that workers run in as containers",
    details:
      "container build makes it from scratch, from this machine's own files, with Docker or Podman. Nothing is pulled.",
    more: "",
  },
  receipts: {
    summary: "check a file of receipts that --receipts has written",
    details:
      "Each line has the hash of the one before: a line that was changed, removed or moved is found. Exit code 0 where all hold.",
    more: `SALLYPORT_RECEIPT_KEY, where it is set, keys the hashes: then nobody without it can write a chain that holds.
Lines cut off at the end show only by the head: --head takes one that was kept elsewhere.`,
  },
  graph: {
    summary: "run the executor graph on JSON lines of messages",
    details:
      "The calls of the last AI message go through the graph, unless a human message follows it. Messages in OpenAI or LangChain form come in, OpenAI form goes out.",
    more: `A line in:   {"id":1,"messages":[{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function",
              "function":{"name":"run_javascript_sandboxed","arguments":"{\\"source\\":\\"6 * 7\\"}"}}]}]}
Also:        "policy", "maxTurns", "endOn", "limits", "unknownTools"
A line out:  {"id":1,"messages":[…],"outcome":{…},"receipts":[…]}
Calls of earlier messages that have no answer stay as they are: an answer further down would not be taken for one.`,
  },
} as const;

/** Adds the subcommand `name` to `program`, with its words. */
export function describeCommand(program: Command, name: keyof typeof COMMANDS): Command {
  const { summary, details, more } = COMMANDS[name];
  const command = program.command(name).summary(summary).description(details);
  return more === "" ? command : command.addHelpText("after", `\n${more}`);
}
