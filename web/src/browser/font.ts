/** Network Information API, which only Chromium has. */
interface NetworkInformation {
  readonly effectiveType: string;
}

/**
 * Over a slow network, the app appears in the browser's own typeface, so that its scripts do not share the network with ours. For the
 * script that runs before the first paint.
 */
export function putOffFont(): void {
  const { connection } = navigator as Navigator & { readonly connection?: NetworkInformation };
  if (connection !== undefined && connection.effectiveType !== "4g") document.documentElement.dataset["font"] = "later";
}

/** Loads the typeface that was put off. */
export function loadFont(): void {
  delete document.documentElement.dataset["font"];
}
