/**
 * One sentence for each name that models reach for and that is not there.
 * Words only: nothing is defined or enforced here.
 */

const NO_MODULES = "no modules can be loaded in this sandbox; use the language's own built-ins.";
const NO_HOST = "there is no process, file, environment or host access in this sandbox.";
const NO_NETWORK = "there is no network in this sandbox; data comes in through `input`.";
const NO_DYNAMIC_CODE = "making code from text is denied by the policy.";
const NO_SHARED = "shared memory, WebAssembly and weak references are not available in this sandbox.";
const NO_BROWSER = "this is no browser: there is no window, document, DOM or event.";
const NO_STORAGE = "nothing is stored in this sandbox: every run starts anew; use a variable.";
const NO_THREADS = "there are no threads in this sandbox: a program runs alone.";
const NO_ABORT = "nothing here waits for the outside, so nothing can be aborted: use a flag or Promise.race.";

const HINTS = new Map<string, string>([
  ...["require", "module", "exports", "__dirname", "__filename"].map((name) => [name, NO_MODULES] as const),
  ...["process", "global", "Deno", "Bun", "fs", "os", "path", "child_process", "navigator"].map(
    (name) => [name, NO_HOST] as const,
  ),
  ...[
    "fetch",
    "XMLHttpRequest",
    "WebSocket",
    "BroadcastChannel",
    "FormData",
    "File",
    "FileReader",
    "EventSource",
    "Request",
    "Response",
    "Headers",
    "http",
    "https",
    "net",
    "axios",
  ].map((name) => [name, NO_NETWORK] as const),
  ...["eval", "Function"].map((name) => [name, NO_DYNAMIC_CODE] as const),
  ...["Atomics", "SharedArrayBuffer", "WebAssembly", "WeakRef", "FinalizationRegistry"].map(
    (name) => [name, NO_SHARED] as const,
  ),
  ["Buffer", "Buffer is Node's own: use Uint8Array, TextEncoder, btoa and atob."],
  ...["window", "document", "self", "location", "history", "HTMLElement", "Event", "EventTarget", "CustomEvent"].map(
    (name) => [name, NO_BROWSER] as const,
  ),
  ...["localStorage", "sessionStorage", "indexedDB", "caches"].map((name) => [name, NO_STORAGE] as const),
  ...["Worker", "SharedWorker", "MessageChannel", "MessagePort", "importScripts"].map(
    (name) => [name, NO_THREADS] as const,
  ),
  ...["AbortController", "AbortSignal"].map((name) => [name, NO_ABORT] as const),
  ...["requestAnimationFrame", "cancelAnimationFrame", "requestIdleCallback"].map(
    (name) => [name, "there is nothing to draw here: use setTimeout."] as const,
  ),
  ["Blob", "there are no blobs in this sandbox: use Uint8Array or text."],
  ["ReadableStream", "there are no streams in this sandbox: use arrays or async generators."],
  ["confirm", "nobody can be asked: data comes in through `input`."],
  ["alert", "this is no browser: print with console.log."],
  ["prompt", "nobody can be asked: data comes in through `input`."],
  ["crypto", "there is no crypto here; Math.random is seeded, and must not make keys."],
  ["input", "no `input` was given to this run."],
]);

/** "x is not defined" with the reason, where there is one to give; and the isolate's own few words in ours. */
export function explainAbsence(error: string, message: string): string {
  if (message === "Not supported") return `import() is not available: ${NO_MODULES}`;
  if (error !== "ReferenceError") return message;
  const name = /^([\w$]+) is not defined$/.exec(message)?.[1];
  const hint = name === undefined ? undefined : HINTS.get(name);
  return hint === undefined ? message : `${message}: ${hint}`;
}
