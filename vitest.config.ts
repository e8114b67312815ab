import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Every test file starts real worker processes; more files at once than cores only makes limits noisy.
    maxWorkers: 2,
  },
});
