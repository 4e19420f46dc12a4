import { defineConfig } from "@playwright/test";
import { CALLER_FLAGS, launchOptions } from "./support/browser.ts";

/** Long waits and exhaustive matrices (`npm run test:full`) have this tag. */
const FULL = /@full/;

/**
 * Browser tests against the whole product as `npm start` runs it: real audio, real SIP, real PostgreSQL. Calls run one after
 * the other, because the exchange's lines are known by their numbers; while they wait for sound, the pages have the other core.
 */
export default defineConfig({
  testDir: ".",
  ...(process.env["FULL"] === "1" ? {} : { grepInvert: FULL }),
  projects: [
    { name: "calls", testMatch: "calls/**/*.spec.ts", workers: 1 },
    { name: "pages", testMatch: "{accounts,money,pages}/**/*.spec.ts", workers: 1 },
  ],
  globalSetup: "./support/global-setup.ts",
  outputDir: "results",
  fullyParallel: false,
  workers: 2,
  retries: 0,
  // The longest tests look at every page in both themes; a slow machine takes its time.
  timeout: 240_000,
  expect: { timeout: 15_000 },
  reporter: process.env["PLAYWRIGHT_JSON_OUTPUT_NAME"] ? [["list"], ["json"]] : "list",
  use: {
    browserName: "chromium",
    baseURL: process.env["PRODUCT_URL"] ?? "",
    permissions: ["microphone"],
    // What a test lets through or holds back goes over the network; the tests of the worker itself allow it.
    serviceWorkers: "block",
    trace: "off",
    screenshot: "only-on-failure",
    launchOptions: launchOptions(
      "--disable-quic",
      "--no-first-run",
      "--disable-component-update",
      "--disable-sync",
      ...CALLER_FLAGS,
    ),
  },
});
