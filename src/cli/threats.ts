/**
 * The threats that the product answers, as data: the tour prints them, SECURITY.md tabulates them, a test compares both.
 * Facts only: no threat is listed as answered whose file and attack test do not exist.
 */

import { CONTAINMENT_THREATS } from "./threats-containment.ts";

export interface Threat {
  readonly id: string;
  readonly threat: string;
  readonly defence: string;
  /** Where the defence is. */
  readonly file: string;
  /** The test that attacks it. */
  readonly test: string;
  /** The four that every newcomer asks about. */
  readonly classic?: true;
}

export const THREATS: readonly Threat[] = [
  {
    id: "host-secrets",
    threat: "The code reads the host's secrets: environment, files, keys.",
    defence:
      "No fs or process in the isolate; the worker's environment holds TZ, LC_ALL and, for Python, a setting of the allocator, and it may read its own files only.",
    file: "src/sandbox/spawn.ts",
    test: "test/attacks/authority.test.ts",
    classic: true,
  },
  {
    id: "exfiltration",
    threat: "The code sends data out over the network.",
    defence:
      "No fetch, socket or module loader in the isolate; no bridge to the host but one line-by-line output callback.",
    file: "src/worker/guest/globals.ts",
    test: "test/attacks/authority.test.ts",
    classic: true,
  },
  {
    id: "endless-work",
    threat: "The code never ends, or starts a flood of processes.",
    defence:
      "A limit in the isolate, then SIGKILL from a supervisor thread that does not depend on the caller's event loop.",
    file: "src/sandbox/supervisor.ts",
    test: "test/attacks/deadline.test.ts",
    classic: true,
  },
  {
    id: "os-access",
    threat: "The code reaches the operating system: os, process, child processes.",
    defence:
      "Globals by allowlist in a fresh isolate; Node's permission model denies files, processes and threads to the worker.",
    file: "src/worker/lockdown.ts",
    test: "test/attacks/authority.test.ts",
    classic: true,
  },
  {
    id: "memory-bomb",
    threat: "The code takes all memory, also where the isolate does not count it.",
    defence: "Heap limit of the isolate, uncounted buffers taken away, and a watchdog on the worker's resident memory.",
    file: "src/sandbox/supervisor-thread.ts",
    test: "test/attacks/memory.test.ts",
  },
  {
    id: "memory-race",
    threat: "An allocation is faster than the watchdog looks.",
    defence:
      "A memory cgroup for each worker, where the host may make one, and one for each container: the kernel ends it at the page.",
    file: "src/sandbox/cgroup.ts",
    test: "test/sandbox/cgroup.long.test.ts",
  },
  {
    id: "output-bomb",
    threat: "The code floods the host with output or a giant result.",
    defence:
      "Output is cut at its limit inside the isolate; the result is serialised there and crosses as one capped string.",
    file: "src/worker/guest/console.ts",
    test: "test/attacks/output.test.ts",
  },
  {
    id: "hostile-error",
    threat: "A thrown object or a value has getters that loop or lie when the host reads it.",
    defence:
      "Values and thrown errors are read inside the isolate, under its limit, from own data; of an unhandled rejection three properties, getters and all: SIGKILL ends one that loops.",
    file: "src/worker/guest/encode.ts",
    test: "test/attacks/hostile-values.test.ts",
  },
  {
    id: "forged-answer",
    threat: "The code forges a success, another run's answer, or the text of a limit.",
    defence:
      "The status is the host's own record, but for limits that only the guest can count (timers, the size of a value), which a program may claim for itself; frames carry an unguessable run id and are checked before they are used.",
    file: "src/protocol/messages.ts",
    test: "test/attacks/hostile-values.test.ts",
  },
  {
    id: "state-leak",
    threat: "One run sees or poisons the next.",
    defence: "A fresh isolate for every run; nothing in the worker or the isolate survives it.",
    file: "src/worker/engines/javascript.ts",
    test: "test/attacks/state.test.ts",
  },
  {
    id: "shared-bytes",
    threat:
      "A Python program writes into the bytes that the worker restores its interpreters from: the next run starts poisoned.",
    defence:
      "Interpreter and memory come from compiled modules, which nobody can write to; the isolate forgets the library's shared bytes before a program comes, and no text that the loader evaluates sees them.",
    file: "src/worker/guest/python/shell.ts",
    test: "test/attacks/python-shared.long.test.ts",
  },
  {
    id: "orphan",
    threat: "The host dies and leaves a worker behind that burns a core.",
    defence: "Workers die with their parent, also in the middle of an uninterruptible built-in.",
    file: "src/sandbox/spawn.ts",
    test: "test/attacks/orphan.test.ts",
  },
  {
    id: "forged-call",
    threat: "Malformed, repaired, duplicated or truncated tool calls are executed.",
    defence: "The raw arguments are parsed strictly; whatever is in doubt is answered, not run.",
    file: "src/nodes/validate.ts",
    test: "test/attacks/tool-calls.test.ts",
  },
  {
    id: "hidden-python",
    threat:
      "Python hides from the policy what it does: computed names, encodings, decorators, fields of formats, modules within modules.",
    defence:
      "CPython's own parser reads it; what is not written down counts as anything, and imports are checked again as it runs.",
    file: "src/worker/guest/python/manifest_collect.py",
    test: "test/policy/python-manifest.long.test.ts",
  },
  {
    id: "forged-state",
    threat: "Somebody posts or patches the graph's state to get code past the policy or the turn cap.",
    defence: "Calls, decisions and turns are worked out again from the messages at the edge where code runs.",
    file: "src/nodes/execute.ts",
    test: "test/attacks/forged-state.test.ts",
  },
  {
    id: "revived-state",
    threat: "A message or a result comes back from a checkpoint as a live object, or makes its thread unloadable.",
    defence:
      "Results are strings; what a checkpoint would revive or cannot store is kept as text, in calls, ids, metadata, content and input.",
    file: "src/graph/loadable.ts",
    test: "test/graph/checkpoint.test.ts",
  },
  {
    id: "held-loop",
    threat: "A hostile message, argument, manifest or resume holds the host's event loop.",
    defence: "Size before parsing, everywhere; many calls are worked through in several turns of the loop.",
    file: "src/graph/spread.ts",
    test: "test/graph/loop-delay.test.ts",
  },
  {
    id: "outlived-question",
    threat: "An answer to a question runs code under another policy than the one it was asked under.",
    defence:
      "Where policy, limits or input have changed, no answer counts: the question is put again, or the call is denied.",
    file: "src/graph/answer.ts",
    test: "test/graph/policy-change.test.ts",
  },
  ...CONTAINMENT_THREATS,
  {
    id: "overlooked-worker",
    threat:
      "A worker that was taken over ends its first thread alone: without memory, it is taken for one that has ended.",
    defence:
      "The supervisor ends whatever shows no memory; only a process that is gone is not asked for its deadline any more.",
    file: "src/sandbox/supervisor-thread.ts",
    test: "test/attacks/deadline.test.ts",
  },
  {
    id: "reused-pid",
    threat: "A worker gets the process id of one that ended before it, and is taken for that one: nobody ends it.",
    defence: "What the supervisor holds open to see a worker by is of that worker alone, and opened anew for the next.",
    file: "src/sandbox/supervisor-thread.ts",
    test: "test/sandbox/reused-pid.long.test.ts",
  },
  {
    id: "lost-watch",
    threat:
      "The supervisor thread, or the process that ends containers, is itself ended or stops reading: limits would hold for nobody.",
    defence:
      "What one of them cannot do is no reason to stop watching the others; a lost process has a successor; without the thread every worker ends and none starts.",
    file: "src/sandbox/supervisor.ts",
    test: "test/sandbox/supervisor.test.ts",
  },
  {
    id: "moved-memory",
    threat:
      "What ran before in a worker decides where a Python program's objects lie or how deep it may recurse, and so what it answers.",
    defence:
      "No collection of V8's touches an interpreter's memory while it loads; CPython's own count of its stack ends all but the deepest recursions before V8's does.",
    file: "src/worker/guest/python/shell.ts",
    test: "test/conformance/python-faithful.long.test.ts",
  },
  {
    id: "lying-exception",
    threat:
      "An exception's class lies about its cause, its place or its line: the worker is taken for broken, or the error for another one.",
    defence:
      "The interpreter's own fields are read, past what a class says; lines and columns beyond any program's are left out.",
    file: "src/worker/guest/python/errors.py",
    test: "test/conformance/python-faithful.long.test.ts",
  },
  {
    id: "evaluated-type",
    threat:
      "A Python program has `typing` evaluate a text, or `dataclasses` write one into code, with the interpreter's own built-ins, where the policy has taken eval away.",
    defence:
      "Where code from text is refused, a text in a type's place is evaluated only if it names types: no calls, no private members; and the name of a field is an identifier.",
    file: "src/worker/guest/python/allow.py",
    test: "test/conformance/python-permits.long.test.ts",
  },
  {
    id: "unread-program",
    threat:
      "An inspector ends, is busy or is closed: a harmless program is denied with a false reason, or a fault is told as its own.",
    defence: "Read again by another inspector where it was not read; else told as not inspected, and not run.",
    file: "src/sandbox/inspector.ts",
    test: "test/sandbox/inspector.test.ts",
  },
  {
    id: "flattering-report",
    threat: "The operator believes in an isolation that is not there on this machine.",
    defence:
      "A report probes every layer from inside and outside, and says so where one is only stated; a containment counts where each of its walls was seen; `require` and production fail closed.",
    file: "src/sandbox/report/report.ts",
    test: "test/sandbox/containment.test.ts",
  },
  {
    id: "silent-end",
    threat:
      "The host's event loop runs dry while a worker is waited for: a command that should have refused ends with 0, a run never answers.",
    defence:
      "The loop is held while anything of a sandbox is waited for; a command's exit code is that of a fault until it has come to its end.",
    file: "src/sandbox/held-loop.ts",
    test: "test/sandbox/held-loop.long.test.ts",
  },
  {
    id: "faked-words",
    threat:
      "What a program prints or throws looks on a terminal like the command's own words: a success, a result, an answer.",
    defence: "What a program wrote is escaped and never stands at the margin, where the command's own words stand.",
    file: "src/cli/printable.ts",
    test: "test/cli/run.test.ts",
  },
  {
    id: "forged-approval",
    threat: "Somebody edits a checkpoint, or replays an answer, so that code runs which no person has approved.",
    defence:
      "An approval is a MAC over the program and all that it was asked for; it is checked where code runs, and used once.",
    file: "src/policy/grant.ts",
    test: "test/attacks/forged-approval.test.ts",
  },
];
