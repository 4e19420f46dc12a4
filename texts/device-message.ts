import type { Params, Reason } from "./reason.ts";

/** Recorded for a device whose browser does not say what it is. */
export const UNKNOWN_DEVICE = "Unknown device";
const BROWSER_AND_SYSTEM = /^(.+) on (.+)$/;

/** Names the text for a device that is recorded as "Chrome on Windows" or `UNKNOWN_DEVICE`; null for a product's name alone, such as "iPhone". */
export function deviceMessage(
  device: string,
): { reason: Reason & `device_${string}`; params?: Params & Record<string, string> } | null {
  if (device === UNKNOWN_DEVICE) return { reason: "device_unknown" };
  const [, browser, system] = BROWSER_AND_SYSTEM.exec(device) ?? [];
  return browser === undefined || system === undefined ? null : { reason: "device_on", params: { browser, system } };
}
