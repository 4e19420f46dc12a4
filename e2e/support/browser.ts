import type { LaunchOptions, PlaywrightTestOptions, PlaywrightWorkerOptions } from "@playwright/test";
import { MICROPHONE_FILE, MICROPHONE_HERTZ } from "./tone.ts";

/** Debian's Chromium without windows, which takes a third less of the processor than a whole one that shows none. */
const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium-headless-shell";

const FLAGS = ["--no-sandbox", "--disable-background-networking"];

/** The microphone needs no permission and plays MICROPHONE_FILE, and audio plays without a click. */
export const CALLER_FLAGS = [
  "--autoplay-policy=no-user-gesture-required",
  "--use-fake-ui-for-media-stream",
  "--use-fake-device-for-media-stream",
  `--use-file-for-fake-audio-capture=${MICROPHONE_FILE}`,
];

/** Launch options for Chromium with these additional flags. */
export function launchOptions(...flags: readonly string[]): LaunchOptions {
  return { executablePath: CHROMIUM, args: [...FLAGS, ...flags] };
}

/** Debian's Firefox, driven by WebDriver BiDi. Its microphone needs no permission and plays the same tone, and sound no click. */
export function firefox(): Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> {
  return {
    browserName: "firefox",
    channel: "moz-firefox",
    permissions: [],
    launchOptions: {
      executablePath: process.env["FIREFOX_PATH"] ?? "/usr/bin/firefox-esr",
      firefoxUserPrefs: {
        "media.navigator.streams.fake": true,
        "media.navigator.permission.disabled": true,
        "permissions.default.microphone": 1,
        "media.navigator.audio.fake_frequency": MICROPHONE_HERTZ,
        "media.autoplay.default": 0,
      },
    },
  };
}
