import { existsSync } from "node:fs";
import type { LaunchOptions } from "@playwright/test";
import { MICROPHONE_FILE } from "./microphone.ts";

const PATHS = [process.env["CHROMIUM_PATH"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const FLAGS = ["--no-sandbox", "--disable-background-networking"];

/** A microphone that may be used without a question and plays MICROPHONE_FILE, and sound that plays without a click. */
export const CALLER_FLAGS = [
  "--autoplay-policy=no-user-gesture-required",
  "--use-fake-ui-for-media-stream",
  "--use-fake-device-for-media-stream",
  `--use-file-for-fake-audio-capture=${MICROPHONE_FILE}`,
];

/** How to start the machine's Chromium with these flags beside the usual ones; Playwright's own where there is none. */
export function launchOptions(...flags: readonly string[]): LaunchOptions {
  const executablePath = PATHS.find((path) => path !== undefined && existsSync(path));
  return { ...(executablePath === undefined ? {} : { executablePath }), args: [...FLAGS, ...flags] };
}
