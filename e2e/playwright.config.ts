import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { defineConfig } from "@playwright/test";
import { CALLER_FLAGS, firefox, launchOptions } from "./support/browser.ts";

/** Tag of long waits and exhaustive matrices (`npm run test:full`). */
const FULL = /@full/;
const leftOut = process.env["FULL"] === "1" ? [] : [FULL];

/** They start an installation of their own, or call numbers at which nobody else looks for a call. */
const APART = [
  "accounts/robot-check.spec.ts",
  "calls/{auto-top-up,cannot-call,extension,family,killed,layout,on-screen}.spec.ts",
  "calls/{operations,opus,relay,rtpengine,still-keys}.spec.ts",
];
/** Journeys that need an engine's own media, network and storage; they run in Chromium too. */
const FIREFOX = ["calls/{one-whole-call,survival}.spec.ts", "pages/{contacts,history}.spec.ts"];
/** The echo test measures with an `AudioContext`, which Firefox does not start on a machine without a sound card. */
const WITHOUT_SOUND_CARD = /echo test/;
/** Debian builds WebKit without WebRTC, so it gets pages and forms. Playwright drives only its own builds, so they have a driver of their own. */
const WEBKIT = "pages/webkit.spec.ts";

/**
 * Browser tests against the whole product as `npm start` runs it: real audio, real SIP, real PostgreSQL. Call tests run one
 * after the other, because they identify calls by the dialled number. While they wait for sound, the other projects use the processors.
 */
export default defineConfig({
  testDir: ".",
  grepInvert: leftOut,
  projects: [
    { name: "calls", testMatch: "calls/**/*.spec.ts", testIgnore: APART, workers: 1 },
    { name: "pages", testMatch: "{accounts,pages}/**/*.spec.ts", testIgnore: [WEBKIT, ...APART], workers: 1 },
    { name: "money", testMatch: "money/**/*.spec.ts", workers: 1 },
    { name: "apart", testMatch: APART, workers: 1 },
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
  workers: 4,
  retries: 0,
  // Ends a test that hangs. The longest checks every page in both themes, and some machines are five times slower than others.
  timeout: 600_000,
  expect: { timeout: PATIENCE_MS },
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
