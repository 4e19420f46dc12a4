/** Browsers that differ in how they ask for the microphone. */
export type BrowserName = "chrome" | "edge" | "firefox" | "safari" | "android" | "iphone" | "other";

/** The browser, by its user agent. Reliable enough for a hint, but not for decisions. */
export function browserName(userAgent: string, touchPoints: number): BrowserName {
  // iPads identify as Macs, but no Mac has a touch screen.
  if (/iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1)) return "iphone";
  if (/Firefox\//.test(userAgent)) return "firefox";
  if (/Android/.test(userAgent)) return "android";
  if (/Edg\//.test(userAgent)) return "edge";
  if (/Chrome\//.test(userAgent)) return "chrome";
  return /Safari\//.test(userAgent) ? "safari" : "other";
}
