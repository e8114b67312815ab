import { configDefaults, defineConfig } from "vitest/config";

const LONG = "test/**/*.long.test.ts";
/** These look for every worker of this checkout, or bring the whole root of the host into a mutant: nothing else may run beside. */
const ALONE = "test/**/*.alone.test.ts";

export default defineConfig({
  test: {
    globalSetup: ["test/fixtures/set-up.ts"],
    // For a hang, not for pace: a test that starts a command four times takes half a minute on a slow machine.
    testTimeout: 90_000,
    hookTimeout: 60_000,
    // Every test file starts real worker processes; more files at once than cores only makes limits noisy.
    maxWorkers: 2,
    // Files of one vitest worker share its modules, LangGraph's above all: half of `npm test` would be loading them again.
    isolate: false,
    unstubEnvs: true,
    restoreMocks: true,
    projects: [
      // `npm test`: what a newcomer waits for. `npm run test:long`: whole processes, again and again; CI runs both.
      {
        extends: true,
        test: { name: "short", include: ["test/**/*.test.ts"], exclude: [...configDefaults.exclude, LONG, ALONE] },
      },
      { extends: true, test: { name: "alone", include: [ALONE] } },
      { extends: true, test: { name: "long", include: [LONG] } },
    ],
  },
});
