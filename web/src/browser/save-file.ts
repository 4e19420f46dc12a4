import { after } from "../time/timers.ts";

const SAVED_WITHIN_MS = 60_000;

/** Saves a text or what the service sent as a file, as if it were downloaded. */
export function saveFile(name: string, content: string | Blob, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  // Safari reads the file after the click has been handled, and asks the user first.
  after(SAVED_WITHIN_MS, () => URL.revokeObjectURL(link.href));
}

/** Saves the file that the service sends at `address`. Unlike a navigation, it does not make the browser ask during a call. */
export function downloadFrom(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
