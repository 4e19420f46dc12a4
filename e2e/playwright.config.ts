import { defineConfig } from "@playwright/test";
import { CALLER_FLAGS, launchOptions } from "./support/browser.ts";

/** Browser tests against the whole product as `npm start` runs it: real audio, real SIP, real PostgreSQL. */
export default defineConfig({
  testDir: ".",
  globalSetup: "./support/global-setup.ts",
  outputDir: "results",
  fullyParallel: false,
  workers: 1,
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
