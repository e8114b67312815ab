/**
 * The guest's wing in Python, as one text that is run before the snapshot is taken: every file in one namespace of its own,
 * which no program is given. Read where a snapshot is built, and nowhere else.
 */

import { existsSync, readFileSync } from "node:fs";

/** In the order in which they are run: later files use the names of earlier ones. */
const FILES = ["encode", "loop", "errors", "allow", "manifest", "runner", "snapshot"] as const;

/** What stands for the policy's part where it is absent. */
const ABSENT = "def restrict(scope, names, modules, is_dynamic): pass\ndef manifest(source): return 'null'";

export function readGuest(): string {
  const parts = FILES.flatMap((name) => {
    const path = new URL(`../../guest/python/${name}.py`, import.meta.url);
    return existsSync(path) ? [{ name, text: readFileSync(path, "utf8") }] : [];
  });
  const sources = [{ name: "absent", text: ABSENT }, ...parts];
  return `
def _install():
    space = {"__name__": "sallyport", "__builtins__": __builtins__}
    for name, text in ${JSON.stringify(sources.map(({ name, text }) => [name, text]))}:
        exec(compile(text, f"<sallyport {name}>", "exec", dont_inherit=True), space)
    space["install_loop"]()
    space["hide_our_frames"]()
    space["prepare"](space["sallyport_run"])
    return space["sallyport_run"]
sallyport_run = _install()
del _install
`;
}
