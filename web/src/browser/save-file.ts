const SAVED_WITHIN_MS = 60_000;

/** Saves a text as a file, as if it were downloaded. */
export function saveFile(name: string, text: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // Safari reads the file after the click has been handled, and asks the user first.
  // oxlint-disable-next-line farline/bounded-timers -- fires once
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_WITHIN_MS);
}

/** Saves the file that the service sends at `address`. Unlike a navigation, it does not make the browser ask during a call. */
export function downloadFrom(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
