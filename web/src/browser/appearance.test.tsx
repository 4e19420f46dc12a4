import { afterEach, expect, test, vi } from "vitest";
import { loadFont, putOffFont } from "./appearance.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  loadFont();
});

test.each([
  ["3g", "later"],
  ["slow-2g", "later"],
  ["4g", undefined],
])("over %s, data-font is %s", (effectiveType, expected) => {
  vi.stubGlobal("navigator", { connection: { effectiveType } });
  putOffFont();
  expect(document.documentElement.dataset["font"]).toBe(expected);
  loadFont();
  expect(document.documentElement.dataset["font"]).toBeUndefined();
});

test("a browser that does not tell its network loads the typeface at once", () => {
  vi.stubGlobal("navigator", {});
  putOffFont();
  expect(document.documentElement.dataset["font"]).toBeUndefined();
});
