/**
 * Every engine, by language: a new language is one file and one line here.
 * Loaded lazily, so that an inspector never loads what runs code.
 */

import type { Language, Manifest } from "../../types.ts";
import type { Engine, EngineOptions } from "./engine.ts";

export interface EngineEntry {
  create(options: EngineOptions): Promise<Engine>;
  inspector(): Promise<(source: string) => Manifest>;
}

export const ENGINES: Record<Language, EngineEntry> = {
  javascript: {
    create: async () => (await import("./javascript.ts")).createJavaScriptEngine(),
    inspector: async () => (await import("./javascript/inspect.ts")).inspectJavaScript,
  },
  python: {
    create: async (options) => (await import("./python.ts")).createPythonEngine(options),
    inspector: async () => (await import("./python/inspect.ts")).createPythonInspector(),
  },
};
