/**
 * The oldest browsers that Farline supports, by their keys in MDN's compatibility data. `npm run check` compares every built file with
 * it; README and the page's own notice (`web/build/unopened-notice.ts`) name the same versions.
 */
export const browserFloor = {
  safari: "16.4",
  safari_ios: "16.4",
  chrome: "111",
  chrome_android: "111",
  webview_android: "111",
  samsunginternet_android: "22",
  firefox: "121",
  firefox_android: "121",
} as const;

/** The values of the text that names them, `unopened`. */
export const floorNames = {
  safari: browserFloor.safari,
  chrome: browserFloor.chrome,
  firefox: browserFloor.firefox,
  samsung: browserFloor.samsunginternet_android,
} as const;

/** The same for the compilers, which write newer syntax and styles in older words. */
export const buildTargets = [`safari${browserFloor.safari}`, `chrome${browserFloor.chrome}`, `firefox${browserFloor.firefox}`];
