import { defineConfig } from "@playwright/test";
import { CALLER_FLAGS, firefox, launchOptions } from "./support/browser.ts";

/** Tag of long waits and exhaustive matrices (`npm run test:full`). */
const FULL = /@full/;
const leftOut = process.env["FULL"] === "1" ? [] : [FULL];

/** Journeys that need an engine's own media, network and storage; they run in Chromium too. */
const FIREFOX = ["calls/{one-whole-call,survival}.spec.ts", "pages/{contacts,history}.spec.ts"];
/** The echo test measures with an `AudioContext`, which Firefox does not start on a machine without a sound card. */
const WITHOUT_SOUND_CARD = /echo test/;
/** Debian builds WebKit without WebRTC, so it gets pages and forms. Playwright drives only its own builds, so they have a driver of their own. */
const WEBKIT = "pages/webkit.spec.ts";

/**
 * Browser tests against the whole product as `npm start` runs it: real audio, real SIP, real PostgreSQL. Call tests run one
 * after the other, because they identify calls by the dialled number; while they wait for sound, page tests use the other core.
 */
export default defineConfig({
  testDir: ".",
  grepInvert: leftOut,
  projects: [
    { name: "calls", testMatch: "calls/**/*.spec.ts", workers: 1 },
    { name: "pages", testMatch: "{accounts,money,pages}/**/*.spec.ts", testIgnore: WEBKIT, workers: 1 },
    // After the calls in Chromium, because the sandbox's phone network identifies all calls by their number.
    {
      name: "firefox",
      testMatch: FIREFOX,
      grepInvert: [WITHOUT_SOUND_CARD, ...leftOut],
      workers: 1,
      use: firefox(),
      dependencies: ["calls"],
    },
    { name: "webkit", testMatch: WEBKIT, workers: 1 },
  ],
  globalSetup: "./support/global-setup.ts",
  outputDir: "results",
  fullyParallel: false,
  workers: 2,
  retries: 0,
  // The longest tests check every page in both themes, which takes long on a slow machine.
  timeout: 240_000,
  expect: { timeout: 15_000 },
  reporter: process.env["PLAYWRIGHT_JSON_OUTPUT_NAME"] ? [["list"], ["json"]] : "list",
  use: {
    browserName: "chromium",
    baseURL: process.env["PRODUCT_URL"] ?? "",
    permissions: ["microphone"],
    // Tests intercept network requests, which a worker would bypass. The worker's own tests allow it.
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
