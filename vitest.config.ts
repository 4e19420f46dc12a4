import { defineConfig } from "vitest/config";

/** Unit, property and integration tests. The browser tests live in e2e/ and run under Playwright. */
export default defineConfig({
  test: {
    include: ["{contract,domain,server,voice,sandbox,cli,tools}/**/*.test.ts", "web/src/**/*.test.{ts,tsx}"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    retry: 0,
  },
});
