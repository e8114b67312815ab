/**
 * Every engine, by language: a new language is one file and one line here.
 * Loaded lazily, so that an inspector never loads what runs code.
 */

import type { Language, Manifest } from "../../types.ts";
import type { Engine } from "./engine.ts";

export interface EngineEntry {
  create(): Promise<Engine>;
  inspector(): Promise<(source: string) => Manifest>;
}

export const ENGINES: Partial<Record<Language, EngineEntry>> = {
  javascript: {
    create: async () => (await import("./javascript.ts")).createJavaScriptEngine(),
    inspector: async () => (await import("./javascript/inspect.ts")).inspectJavaScript,
  },
};
