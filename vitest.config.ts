import { configDefaults, defineConfig } from "vitest/config";

/** Plays against the services of one workspace, but at the size and in the table of the attacks. */
const MONEY_GAMES = "server/test/simulator/money-games.test.ts";

/**
 * Unit, property and integration tests. The browser tests live in e2e/ and run under Playwright. The projects differ
 * in what they need: nothing, PostgreSQL, or the whole installation.
 */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "plain",
          include: ["{contract,domain,voice,cli,tools}/**/*.test.ts", "web/src/**/*.test.{ts,tsx}"],
        },
      },
      {
        extends: true,
        test: {
          name: "database",
          include: ["{server,sandbox}/**/*.test.ts"],
          exclude: [...configDefaults.exclude, MONEY_GAMES],
          globalSetup: ["server/test/postgres.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "security",
          include: ["security/*.test.ts", MONEY_GAMES],
          globalSetup: ["server/test/postgres.ts"],
        },
      },
    ],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    retry: 0,
    // A condition that holds at last is waited for as long as a busy machine needs.
    expect: { poll: { timeout: 10_000 } },
  },
});
