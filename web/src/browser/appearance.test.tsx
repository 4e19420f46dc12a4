import { afterEach, expect, test, vi } from "vitest";
import { chooseTypeface } from "./appearance.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  delete document.documentElement.dataset["font"];
});

test.each([
  ["3g", "stand-in"],
  ["slow-2g", "stand-in"],
  ["4g", undefined],
])("over %s, data-font is %s", (effectiveType, expected) => {
  vi.stubGlobal("navigator", { connection: { effectiveType } });
  chooseTypeface();
  expect(document.documentElement.dataset["font"]).toBe(expected);
});

test("a browser that does not tell its network has the typeface", () => {
  vi.stubGlobal("navigator", {});
  chooseTypeface();
  expect(document.documentElement.dataset["font"]).toBeUndefined();
});
