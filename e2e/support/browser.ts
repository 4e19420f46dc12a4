import { existsSync } from "node:fs";
import type { LaunchOptions } from "@playwright/test";
import { MICROPHONE_FILE } from "./microphone.ts";

const PATHS = [process.env["CHROMIUM_PATH"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const FLAGS = ["--no-sandbox", "--disable-background-networking"];

/** The microphone needs no permission and plays MICROPHONE_FILE, and audio plays without a click. */
export const CALLER_FLAGS = [
  "--autoplay-policy=no-user-gesture-required",
  "--use-fake-ui-for-media-stream",
  "--use-fake-device-for-media-stream",
  `--use-file-for-fake-audio-capture=${MICROPHONE_FILE}`,
];

/** Launch options for the machine's Chromium with these additional flags, or Playwright's own if there is none. */
export function launchOptions(...flags: readonly string[]): LaunchOptions {
  const executablePath = PATHS.find((path) => path !== undefined && existsSync(path));
  return { ...(executablePath === undefined ? {} : { executablePath }), args: [...FLAGS, ...flags] };
}
