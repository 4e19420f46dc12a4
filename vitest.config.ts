import { configDefaults, defineConfig } from "vitest/config";
import { PATIENCE_MS } from "./domain/test/patience.ts";
import { classNamesOnly } from "./web/build/styles.ts";

/** Plays against the services of one workspace, but at the size and in the table of the attacks. */
const MONEY_GAMES = "server/test/simulator/money-games.test.ts";

/** They mock modules. */
const MOCKING = "voice/test/fuzz/*.test.ts";

/** The web app's tests, once more under a browser's translation in `npm run test:full`. */
const WEB_NAMES = process.env["FULL"] === "1" ? ["web", "web-translated"] : ["web"];

/**
 * Unit, property and integration tests. The browser tests live in e2e/ and run under Playwright. The projects differ
 * in what they need: nothing, modules of their own, PostgreSQL, or the whole installation.
 */
export default defineConfig({
  test: {
    setupFiles: ["domain/test/property-sizes.ts"],
    // Many tests wait for a call or a clock, so two cores carry three.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: "plain",
          // As in `database`: loading the exchange for each file takes as long as its tests.
          isolate: false,
          include: ["{contract,domain,sip,voice}/**/*.test.ts"],
          exclude: [...configDefaults.exclude, MOCKING],
        },
      },
      {
        extends: true,
        test: {
          name: "isolated",
          include: ["{tools,web/src}/**/*.test.ts", "cli/src/start/**/*.test.ts", MOCKING],
        },
      },
      ...WEB_NAMES.map((name) => ({
        extends: true as const,
        define: { __FLAGS_FOLDER__: '"/assets/flags"' },
        // One file instead of six thousand.
        resolve: { alias: { "@tabler/icons-react": "@tabler/icons-react/dist/cjs/tabler-icons-react.cjs" } },
        plugins: [classNamesOnly()],
        css: { modules: { generateScopedName: "[local]" } },
        test: {
          name,
          include: ["web/src/**/*.test.tsx"],
          environment: "happy-dom",
          environmentOptions: { happyDOM: { url: "http://localhost:3000/" } },
          setupFiles: ["web/test/setup.ts"],
          env: { TRANSLATED: name === "web-translated" ? "1" : "0" },
        },
      })),
      {
        extends: true,
        test: {
          name: "database",
          // No file here may mock a module. Reloading the service for each file takes a third of the run.
          isolate: false,
          include: ["{server,sandbox}/**/*.test.ts", "cli/src/{client,machine,operate,doctor}/**/*.test.ts"],
          exclude: [...configDefaults.exclude, MONEY_GAMES],
          globalSetup: ["server/test/postgres.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "security",
          // Each file starts whole installations and keeps a core busy.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          // As in `database`.
          isolate: false,
          include: ["security/*.test.ts", MONEY_GAMES],
          globalSetup: ["server/test/postgres.ts"],
        },
      },
    ],
    // happy-dom does not know the element, which browsers do.
    onConsoleLog: (log) => !log.includes("The tag <search> is unrecognized"),
    // Ends a test that hangs. The longest takes a minute on two cores, and some machines are five times slower.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    retry: 0,
    expect: { poll: { timeout: PATIENCE_MS, interval: 20 } },
  },
});
