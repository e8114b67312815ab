/**
 * The guest's wing in Python, as one text that is run before the snapshot is taken: every file in one namespace of its own,
 * which no program is given. Read where a snapshot is built, and nowhere else.
 */

import { readFileSync } from "node:fs";

/** In the order in which they are run. What is called only later may use the names of all; what is done at once, those before. */
const FILES = [
  "shared",
  "encode",
  "loop",
  "threads",
  "errors",
  "part",
  "allow",
  "manifest",
  "runner",
  "library",
  "time_text",
  "zones",
  "error_numbers",
  "snapshot",
] as const;

/** The inspector's parts, modules that import each other: a namespace each, and no name that a program could import. */
const MODULES = [
  "names",
  "list",
  "modules",
  "scope",
  "text",
  "survey",
  "imports",
  "uses",
  "parts",
  "reach",
  "walk",
  "finish",
  "collect",
].map((part) => `manifest_${part}`);

function readTexts(names: readonly string[]): string {
  const read = (name: string) => readFileSync(new URL(`../../guest/python/${name}.py`, import.meta.url), "utf8");
  return JSON.stringify(names.map((name) => [name, read(name)]));
}

interface Zones {
  index: string;
  data: string;
}

/** As the set-up has laid them there, and takes them away again. */
function readZones(): Zones {
  return JSON.parse(readFileSync(new URL("../../guest/python/built/zones.json", import.meta.url), "utf8")) as Zones;
}

/** Evaluates to where the table of error numbers lies in memory. */
export function readGuest(): string {
  const { index, data } = readZones();
  return `
def _install():
    import sys, types
    # What a program makes of the interpreter's built-ins is not ours.
    own = dict(vars(__import__("builtins")))
    space = {"__name__": "sallyport", "__builtins__": own}
    modules = ${readTexts(MODULES)}
    for name, text in modules:
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name])["__builtins__"] = own
        exec(compile(text, f"<sallyport {name}>", "exec", dont_inherit=True), vars(sys.modules[name]))
    for name, text in ${readTexts(FILES)}:
        exec(compile(text, f"<sallyport {name}>", "exec", dont_inherit=True), space)
    for name, _ in modules:
        del sys.modules[name]
    space["install_loop"]()
    space["install_threads"]()
    space["hide_our_frames"]()
    space["give_zones"](${JSON.stringify(index)}, "${data}")
    global sallyport_start
    sallyport_start = space["sallyport_start"]
    return space["prepare"](sallyport_start)
globals().pop("_install")()
`;
}
