import { describe, expect, it } from "vitest";
import { browserFloor } from "../../web/src/browser/browser-floor.ts";
import { compatAt, missingIn } from "./compat.ts";
import { ownNames, scanScript } from "./scan-script.ts";
import { scanStyles } from "./scan-styles.ts";

const found = (uses: readonly { feature: string }[]): string[] => uses.map(({ feature }) => feature);

describe("scanScript", () => {
  it.each([
    ["const { promise } = Promise.withResolvers()", "Promise.withResolvers()"],
    ["fetch('/', { signal: AbortSignal.any([one, other]) })", "AbortSignal.any()"],
    ["if (URL.canParse(address)) open(address)", "URL.canParse()"],
    ["Map.groupBy(rates, (rate) => rate.country)", "Map.groupBy()"],
    ["globalThis.Object.groupBy(rates, (rate) => rate.country)", "Object.groupBy()"],
    ["Array.fromAsync(rows)", "Array.fromAsync()"],
    ["Promise.try(work)", "Promise.try()"],
    ["wanted.isSupersetOf(known)", ".isSupersetOf()"],
    ["wanted?.symmetricDifference(known)", ".symmetricDifference()"],
    ["date.toTemporalInstant()", ".toTemporalInstant()"],
    ["bytes.toBase64()", ".toBase64()"],
    ["rows.values().filter(isOpen)", "Iterator.filter()"],
    ["text.matchAll(/a/g).map(String)", "Iterator.map()"],
    ["new Intl.Segmenter('en')", "new Intl.Segmenter"],
    ["new SharedWorker('/worker.js')", "new SharedWorker"],
    ["cookieStore.get('token')", "cookieStore"],
    ["requestIdleCallback(work)", "requestIdleCallback()"],
    ["dialog.requestClose()", ".requestClose()"],
    ["menu.showPopover()", ".showPopover()"],
    ["/[\\p{L}--[a-z]]/v.test(text)", "syntax after ES2022"],
    ["/(?i:a)b/.test(text)", "syntax after ES2022"],
    ["import data from './data.json' with { type: 'json' }", "syntax after ES2022"],
    ["{ using file = open() }", "syntax after ES2022"],
    ["new RegExp('[[a-z]&&[aeiou]]', 'v')", "regular expression"],
    ["RegExp('(?i:a)')", "regular expression"],
  ])("reports %s", (code, feature) => expect(found(scanScript(code))).toContain(feature));

  it.each([
    "rates.toSorted(byPrice).findLast(isOpen).at(-1)",
    "structuredClone(state)",
    "const pattern = /(?<!\\d)\\d{4}/u",
    "class Line { static #open = 0; static { Line.#open = 1 } }",
    "AbortSignal.timeout(1000)",
    "typeof requestIdleCallback === 'function' ? requestIdleCallback(work) : setTimeout(work)",
    "navigator.mediaSession.setMicrophoneActive?.(true)",
    "Object.values(rates).filter(isOpen).map(String)",
    "class Metadata {} new Metadata()",
  ])("accepts %s", (code) => expect(scanScript(code)).toEqual([]));

  it("says nothing about a method that the product itself has", () => {
    const library = "class Panel { requestClose() { return this } }";
    expect(found(scanScript("panel.requestClose()"))).toEqual([".requestClose()"]);
    expect(scanScript("panel.requestClose()", ownNames([library]))).toEqual([]);
  });
});

describe("scanStyles", () => {
  it.each([
    ["a { color: light-dark(#000, #fff) }", "light-dark()"],
    ["a { color: rgb(from red r g b) }", "relative colours"],
    [".menu { & a { color: red } }", "nesting"],
    [".menu { a { color: red } }", "nesting"],
    ["@scope (.card) { a { color: red } }", "@scope"],
    [".grid { grid-template-columns: subgrid }", "grid-template-columns: subgrid"],

    ["a { field-sizing: content }", "field-sizing"],
    ["a { anchor-name: --menu }", "anchor-name"],
    ["a:open { color: red }", ":open"],
    ["a { user-select: none }", "user-select"],
  ])("reports %s", (css, feature) => expect(found(scanStyles(css))).toContain(feature));

  it.each([
    "@layer base { a:has(b) { color: color-mix(in srgb, red, blue) } }",
    "@media (width >= 40rem) { a { height: 100dvh } }",
    "@container card (inline-size > 20rem) { a { inset-inline: 0 } }",
    "@supports (color: light-dark(red, blue)) { a { color: light-dark(red, blue) } }",
    "a { color: red; color: light-dark(red, blue) }",
    "a { -webkit-user-select: none; user-select: none }",
  ])("accepts %s", (css) => expect(scanStyles(css)).toEqual([]));
});

describe("missingIn", () => {
  it("names each supported browser that lacks the feature, and since when others have it", () => {
    const missing = missingIn(compatAt("javascript", "builtins", "Promise", "withResolvers"));
    expect(missing).toContain(`safari_ios ${browserFloor.safari_ios} (since 17.4)`);
    expect(missing).toContain(`chrome ${browserFloor.chrome} (since 119)`);
    expect(missing).not.toContain("firefox");
  });
});
