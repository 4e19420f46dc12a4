/** The browsers that ask for the microphone each in its own way. */
export type BrowserName = "chrome" | "edge" | "firefox" | "safari" | "android" | "iphone" | "other";

/** Which browser the page is in, by what it calls itself. Good enough for a hint, for nothing else. */
export function browserName(userAgent: string, touchPoints: number): BrowserName {
  // An iPad calls itself a Mac, but no Mac is touched.
  if (/iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1)) return "iphone";
  if (/Firefox\//.test(userAgent)) return "firefox";
  if (/Android/.test(userAgent)) return "android";
  if (/Edg\//.test(userAgent)) return "edge";
  if (/Chrome\//.test(userAgent)) return "chrome";
  return /Safari\//.test(userAgent) ? "safari" : "other";
}
