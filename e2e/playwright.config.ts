import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";
import { MICROPHONE_FILE } from "./microphone.ts";

const chromium = [process.env["CHROMIUM_PATH"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => path !== undefined && existsSync(path),
);

/** Browser tests against the whole product as `npm start` runs it: real audio, real SIP, real PostgreSQL. */
export default defineConfig({
  testDir: ".",
  globalSetup: "./global-setup.ts",
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
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: [
        "--no-sandbox",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--autoplay-policy=no-user-gesture-required",
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        `--use-file-for-fake-audio-capture=${MICROPHONE_FILE}`,
      ],
    },
  },
});
