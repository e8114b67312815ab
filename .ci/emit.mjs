// Makes the JavaScript of dist/ from the sources: the types are blanked out and nothing else is changed, so that a line is
// the same line in both. Half a second; files that are as they were are left alone. Runs on the Node of the workers.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { findCalledFunctions } from "./guest-functions.mjs";
import { FUNCTIONS, listFiles, outputName } from "./outputs.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const SHEBANG = "#!/usr/bin/env node\n";

/** Specifiers of the project's own files, in static imports and exports, and in `import()`. */
export function rewriteSpecifiers(text) {
  return text.replace(/((?:from|import)\s*\(?\s*"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"');
}

function outputOf(name, text) {
  if (!name.endsWith(".ts")) return text;
  return Buffer.from(rewriteSpecifiers(stripTypeScriptTypes(text.toString("utf8"))));
}

/** The digest that a package's snapshot must have is in its code; in the sources it is a file beside the snapshot. */
function writeDigest(code, digest) {
  const place = "SNAPSHOT_SHA256 = null";
  const named = code.toString("utf8").replace(/SNAPSHOT_SHA256\s*= null/, place);
  if (!named.includes(place)) throw new Error("digest.ts has no place for the digest");
  return Buffer.from(named.replace(place, `SNAPSHOT_SHA256 = "${digest}"`));
}

function write(path, content, { mtime }) {
  const isSame = existsSync(path) && readFileSync(path).equals(content);
  if (isSame && Math.abs(statSync(path).mtimeMs - mtime.getTime()) < 1) return;
  mkdirSync(dirname(path), { recursive: true });
  if (!isSame) writeFileSync(path, content);
  // Of one age with its source: by that a checkout knows that it is not an old one.
  utimesSync(path, mtime, mtime);
}

/** @param dist where the files go @returns how many there are */
export async function emit(dist = join(root, "dist")) {
  const src = join(root, "src");
  const digest = readFileSync(join(src, "worker/guest/python/built/snapshot.sha256"), "utf8").trim();
  const written = new Set();
  for (const name of listFiles(src)) {
    // Its age first: an edit that comes between is then of another age than what was made.
    const stat = statSync(join(src, name));
    const content = outputOf(name, readFileSync(join(src, name)));
    const isDigest = name === "worker/engines/python/digest.ts";
    write(join(dist, outputName(name)), isDigest ? writeDigest(content, digest) : content, stat);
    written.add(outputName(name));
  }
  const found = await findCalledFunctions(pathToFileURL(`${dist}/`).href);
  const places = Buffer.from(JSON.stringify(found));
  write(join(dist, FUNCTIONS), places, statSync(join(src, "worker/guest/source.ts")));
  const command = join(dist, "cli/main.js");
  if (!readFileSync(command, "utf8").startsWith(SHEBANG)) throw new Error(`src/cli/main.ts must begin with ${SHEBANG}`);
  chmodSync(command, 0o755);
  const isLeft = (name) => !written.has(name) && name !== FUNCTIONS && !name.endsWith(".d.ts");
  for (const name of listFiles(dist).filter(isLeft)) rmSync(join(dist, name));
  return written.size;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  await emit(process.argv[2] && resolve(process.argv[2]));
