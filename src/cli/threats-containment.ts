/**
 * The threats that a containment answers, or that one brings: rows of the table in `threats.ts`, in their order.
 * Facts only, as there.
 */

export const CONTAINMENT_THREATS = [
  {
    id: "taken-over",
    threat: "A V8 exploit takes over the worker: it reads files, connects, and looks at the host's memory.",
    defence:
      "In bubblewrap or a container: a read-only root of the worker's own files, no network, no other process, few system calls.",
    file: "src/sandbox/launchers/bubblewrap.ts",
    test: "test/conformance/launcher.alone.test.ts",
  },
  {
    id: "new-kernel-calls",
    threat: "A worker that was taken over attacks the kernel, or starts processes.",
    defence:
      "An allowlist of some eighty system calls, in bubblewrap and in containers: threads but no process, no socket.",
    file: "src/sandbox/seccomp/calls.ts",
    test: "test/sandbox/seccomp.test.ts",
  },
  {
    id: "left-container",
    threat: "The host dies and leaves a container behind: killing the client does not end it.",
    defence:
      "A process beside the host kills its containers when the host is gone; what is left of both is removed at the next start.",
    file: "src/sandbox/container/undertaker.ts",
    test: "test/conformance/launcher.alone.test.ts",
  },
  {
    id: "half-started",
    threat:
      "A contained worker is ended, or loses its host, while it starts: a first process inside waits for ever, tied to nobody.",
    defence:
      "What carries the worker's name is looked for and ended: by the host when a start fails, by a process beside it when the host is gone.",
    file: "src/sandbox/launchers/bubblewrap.ts",
    test: "test/sandbox/bubblewrap.long.test.ts",
  },
  {
    id: "unstarted-container",
    threat:
      "A host or an engine's client is killed between making a container and starting it: the engine forgets it, its processes wait for ever.",
    defence:
      "The engine's monitor is looked for by the container's name, its runtime ends what it holds, and only then is the container removed.",
    file: "src/sandbox/container/undertaker.ts",
    test: "test/sandbox/container.long.test.ts",
  },
  {
    id: "foreign-mounts",
    threat:
      "Mounts of other programs come and go while a containment is tried: bubblewrap seems not to work, and `auto` takes a weaker one.",
    defence:
      "What is tried is a worker's own root, which holds no mount of others; the host's whole root is never bound.",
    file: "src/sandbox/launchers/bubblewrap.ts",
    test: "test/sandbox/bubblewrap-mounts.long.test.ts",
  },
  {
    id: "closed-files",
    threat:
      "A file of the product is closed to the user that contained workers run as: bubblewrap seems to work, no worker comes up in it, and `auto` takes a weaker one.",
    defence:
      "What is tried is a worker's start as that user, and it opens every file that workers need; where one is closed, a host that is root keeps its own user, and doctor says so.",
    file: "src/sandbox/worker-trial.ts",
    test: "test/sandbox/bubblewrap-files.long.test.ts",
  },
  {
    id: "root-outside",
    threat:
      "A worker that was taken over has root's user id outside, since the host is root and cannot give that up: it sets a program that the kernel runs as root, without any capability.",
    defence: "/proc, with the kernel's settings below it, is read-only in a worker's root.",
    file: "src/sandbox/launchers/bubblewrap.ts",
    test: "test/attacks/defences.alone.test.ts",
  },
] as const;
