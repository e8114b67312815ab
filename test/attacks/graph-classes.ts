/**
 * Every class of hostile input to the graph, each kind with the test that tries it. Data: `graph-classes.test.ts` checks
 * that each named test is there. A new kind is a new row, and its test.
 */

export const GRAPH_CLASSES = [
  "toolcall",
  "args",
  "loop",
  "fault",
  "approval",
  "checkpoint",
  "history",
  "pool",
  "cancel",
  "observation",
] as const;

type GraphClass = (typeof GRAPH_CLASSES)[number];

/** `title`: as it stands in the file, or a part of it. */
export type GraphCase = readonly [of: GraphClass, kind: string, file: string, title: string];

const TOOL_CALLS = "test/attacks/tool-calls.test.ts";
const AGENT = "test/graph/agent.test.ts";
const APPROVAL = "test/graph/approval.test.ts";
const FORGED = "test/attacks/forged-approval.test.ts";
const DATABASE = "test/attacks/edited-database.long.test.ts";
const CHECKPOINT = "test/graph/checkpoint.test.ts";
const TALKS = "test/graph/conversations.test.ts";
const FAULTS = "test/sandbox/faults.long.test.ts";
const CANCEL = "test/graph/cancel.test.ts";
const FUZZ = "test/graph/fuzz.long.test.ts";
const LOOP_DELAY = "test/graph/loop-delay.test.ts";

export const GRAPH_CASES: readonly GraphCase[] = [
  [
    "toolcall",
    "a name with bidi or invisible characters",
    TOOL_CALLS,
    "with bidi and invisible characters is ToolNotAllowed",
  ],
  [
    "toolcall",
    "a name that is no string, null or missing",
    TOOL_CALLS,
    "that is no string is answered for each of three calls",
  ],
  ["toolcall", "a name of a built-in property, or of another case", TOOL_CALLS, "__proto__"],
  ["toolcall", "arguments missing, null, true or text in text", TOOL_CALLS, 'describe("arguments"'],
  [
    "toolcall",
    "a call that the provider's parser refused",
    TOOL_CALLS,
    "whose calls only the provider's parser refused is answered under their ids",
  ],
  ["toolcall", "no calls and no content", TOOL_CALLS, "with empty calls and empty content ends flagged"],
  [
    "toolcall",
    "a call in a content block only",
    AGENT,
    "takes neither text that imitates a call nor a content block for a call",
  ],
  ["toolcall", "text that imitates a call", TOOL_CALLS, "text in place of a call"],
  [
    "toolcall",
    "an id that is missing, empty or no string",
    TOOL_CALLS,
    "that is missing, empty or no string becomes a stable one",
  ],
  ["toolcall", "an id twice", TOOL_CALLS, "that two calls share is DuplicateCall once, and neither runs"],
  [
    "toolcall",
    "an id with line breaks and escape sequences",
    TOOL_CALLS,
    "with line breaks and escape sequences is answered",
  ],
  ["toolcall", "an id of a megabyte", TOOL_CALLS, "of a megabyte is replaced"],
  [
    "toolcall",
    "a message that reached the token limit",
    TOOL_CALLS,
    "that reached the token limit has none of its calls run",
  ],
  [
    "toolcall",
    "more calls than a turn may have",
    TOOL_CALLS,
    "with more calls than a turn may have runs the first ones",
  ],
  ["toolcall", "messages of any shape", FUZZ, "every id answered once, no prototype changed"],
  ["toolcall", "a message that holds the host's loop", LOOP_DELAY, "by a message with %s"],
  ["args", "keys beside source: limits, network, environment", TOOL_CALLS, "never raise a limit"],
  ["args", "an own __proto__ or constructor", TOOL_CALLS, "__proto__"],
  ["args", "a key twice in the raw text", TOOL_CALLS, "with malformed arguments or a key twice"],
  [
    "args",
    "raw text and parsed form that differ",
    TOOL_CALLS,
    "whose raw text and parsed form differ are InvalidArguments",
  ],
  ["args", "a source that is a number, an object, empty", TOOL_CALLS, 'describe("arguments"'],
  ["args", "a lone surrogate and a NUL", TOOL_CALLS, "with a lone surrogate and a NUL are run unchanged"],
  ["args", "too large to be parsed", TOOL_CALLS, "that are too large are refused before they are parsed"],
  ["args", "arguments that hold the host's loop", LOOP_DELAY, "by an argument of %s"],
  ["args", "a manifest that holds the host's loop", LOOP_DELAY, "by the manifest of a program with %s"],
  [
    "loop",
    "a recursionLimit below what the turns need",
    "test/graph/recursion.test.ts",
    "ends an agent that never succeeds gracefully",
  ],
  ["loop", "one failing program again and again", TALKS, "in which one failing program comes again and again"],
  ["loop", "two failing programs in turn", TALKS, "in which two failing programs alternate is ended by the cap"],
  [
    "loop",
    "two runs on one thread at once",
    CHECKPOINT,
    "of two questions on one thread at once leaves no call with two answers",
  ],
  ["loop", "a model that never stops", AGENT, "that never succeeds is ended by the cap"],
  [
    "fault",
    "a model that throws, at first or later",
    AGENT,
    "in a later turn leaves the results of the turns before it",
  ],
  ["fault", "a model that never answers", CANCEL, "while the model thinks rejects at once"],
  ["fault", "a key in the model's error", AGENT, "rejects the run with a ModelError that repeats no key"],
  ["fault", "a worker that is stopped", FAULTS, "stopsItself"],
  ["fault", "garbage, half frames and huge frames", FAULTS, "writesAHugeFrame"],
  ["fault", "a clock that jumps", "test/graph/governance.test.ts", "a clock of the host that jumps by an hour"],
  [
    "approval",
    "a resume that is undefined or null",
    APPROVAL,
    "is LangGraph's documented fault, and leaves the run resumable",
  ],
  ["approval", "a resume of a wrong shape", APPROVAL, "approves nothing and leaves the run resumable"],
  [
    "approval",
    "useless answers without end",
    "test/graph/approval-again.test.ts",
    "fifty useless answers in a row change nothing",
  ],
  ["approval", "an edit that is invalid", APPROVAL, "an edit whose source is a number"],
  ["approval", "an edit that is denied, or asks again", APPROVAL, "decides an edit again"],
  ["approval", "the same answer twice", APPROVAL, "is one that comes a second time: the program runs once"],
  ["approval", "an answer to an earlier question", APPROVAL, "of an earlier question approves nothing"],
  [
    "approval",
    "an answer after the process was killed",
    "test/graph/approval-restart.long.test.ts",
    "what another process asked is answered here, and runs exactly once",
  ],
  [
    "approval",
    "an answer after the policy changed",
    "test/graph/policy-change.test.ts",
    "is none where the question stands on %s now",
  ],
  ["approval", "a resume that holds the host's loop", LOOP_DELAY, "by a resume that is %s"],
  [
    "approval",
    "any order of answers, edits, aborts and going back",
    "test/graph/approval-sequences.long.test.ts",
    "random sequences execute approved text only",
  ],
  ["checkpoint", "a result that a checkpoint would revive", CHECKPOINT, "that is %s is stored and loaded as text"],
  [
    "checkpoint",
    "arguments that a checkpoint would revive",
    CHECKPOINT,
    "are refused, stored as text, and leave the thread loadable",
  ],
  [
    "checkpoint",
    "ids, metadata and content that it would revive, or cannot store",
    CHECKPOINT,
    "the thread stays loadable, and nothing in it lives",
  ],
  ["checkpoint", "flipped bytes", FUZZ, "damaged checkpoints run nothing that was not approved"],
  [
    "checkpoint",
    "a filter with a hostile key",
    DATABASE,
    "a filter with a hostile key shows nothing of another thread",
  ],
  [
    "checkpoint",
    "edited in memory: program, language, decision, expiry, approver",
    FORGED,
    "%s changed behind the approval: nothing runs",
  ],
  ["checkpoint", "edited in SQLite and PostgreSQL", DATABASE, "%s changed behind the approval: nothing runs"],
  ["checkpoint", "an allow that is written in", FORGED, "an allow that is written in before the question"],
  ["checkpoint", "a grant replayed", DATABASE, "a grant replayed, by going back or in another thread"],
  [
    "checkpoint",
    "private state that a caller posts or patches",
    "test/attacks/forged-state.test.ts",
    "private keys are dropped",
  ],
  ["history", "ten thousand messages", TALKS, "of ten thousand messages costs a turn less than a second"],
  [
    "history",
    "a forged answer to a pending call",
    "test/graph/executor.test.ts",
    "counts an answer that it did not give as no success",
  ],
  [
    "history",
    "a system message against the policy",
    TALKS,
    "with a system message that says to ignore the policy changes no decision",
  ],
  [
    "pool",
    "hostile programs beside harmless ones",
    TALKS,
    "leave every harmless one right, and each sees only its own",
  ],
  ["pool", "a name that one run leaves for the next", "test/attacks/state.test.ts", "the next one sees nothing of it"],
  [
    "pool",
    "closed while runs are active and queued",
    "test/sandbox/pool.test.ts",
    "settles what is active and what waits, and leaves no process",
  ],
  ["cancel", "a signal that was aborted before", CANCEL, "before the run runs nothing"],
  ["cancel", "an abort while a program runs", CANCEL, "while a program runs rejects at once"],
  [
    "cancel",
    "an abort while a question waits",
    "test/graph/governance.test.ts",
    "survives an answer that is aborted, and can still be answered",
  ],
  ["cancel", "one signal for very many runs", "test/sandbox/cancel.test.ts", "has no listener left and warns of none"],
  ["observation", "an error with a path of the host", TALKS, "tells no path, stack or secret of the host"],
  ["observation", "a cut within a character", TALKS, "is cut between characters, and says so"],
  ["observation", "a truncation mark that is printed", TALKS, "does not take a truncation mark from what is printed"],
];
