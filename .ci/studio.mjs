// The LangGraph development server on the loopback, without its usage reports: nothing leaves the machine.
// Every flag is passed through. It is loaded, not started, so that a signal reaches it and no process is in between.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";

process.env.LANGGRAPH_CLI_NO_ANALYTICS = "1";

// npm passes a signal to its shell, and a shell dies of it without telling us: its death is the signal.
if (process.env.npm_lifecycle_event === "studio") {
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) process.kill(process.pid, "SIGTERM");
  }, 250).unref();
}

const flags = process.argv.slice(2);
const hasHost = flags.some((flag) => flag === "-h" || flag.startsWith("--host"));
process.argv.splice(2, flags.length, "dev", ...(hasHost ? [] : ["--host", "127.0.0.1"]), ...flags);

const manifest = createRequire(import.meta.url).resolve("@langchain/langgraph-cli/package.json");
const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
await import(pathToFileURL(resolve(dirname(manifest), bin.langgraphjs)).href);
