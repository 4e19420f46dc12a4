import { afterEach, expect, test, vi } from "vitest";
import { forgetReturnPath, keepReturnPath, ownPath, readReturnPath } from "./return-path.ts";

const ALICE = "0197a000-0000-7000-8000-00000000000a";
const BOB = "0197a000-0000-7000-8000-00000000000b";

afterEach(() => {
  vi.restoreAllMocks();
  sessionStorage.clear();
});

test.each([
  ["/history?country=GH", "/history?country=GH"],
  ["/call/1", "/call/1"],
  ["https://evil.example/history", null],
  ["//evil.example/history", null],
  ["/\\evil.example", null],
  ["\\\\evil.example", null],
  ["javascript:alert(1)", null],
  [`${window.location.origin}//evil.example`, null],
  ["http://", null],
])("%s leads to %s", (address, path) => {
  expect(ownPath(address)).toBe(path);
});

test("a visitor's page opens for any user who signs in, an ended session's only for its customer", () => {
  keepReturnPath("/call/1", null);
  expect(readReturnPath(BOB)).toBe("/call/1");
  keepReturnPath("/call/1", ALICE);
  expect(readReturnPath(BOB)).toBeNull();
  expect(readReturnPath(ALICE)).toBe("/call/1");
  forgetReturnPath();
  expect(readReturnPath(ALICE)).toBeNull();
});

test("it expires after ten minutes, and other stored values are ignored", () => {
  keepReturnPath("/history", null);
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 11 * 60_000);
  expect(readReturnPath(null)).toBeNull();
  for (const text of [
    "/history",
    "{",
    "7",
    "null",
    JSON.stringify({ path: 7 }),
    JSON.stringify({ path: "//evil.example", at: Date.now() }),
  ]) {
    sessionStorage.setItem("return-path", text);
    expect(readReturnPath(null)).toBeNull();
  }
});

test.each([
  "/billing/success?session_id=cs_1",
  "/billing/cancel",
  "/billing/cancel/",
  "/Billing/Cancel?x=1",
  "/billing/%63ancel",
  "/account/../billing/success",
  "/account/google/callback?code=c&state=s",
])("a provider's return page %s is not kept, and forgets what was kept before", (path) => {
  keepReturnPath("/history", null);
  keepReturnPath(path, null);
  expect(readReturnPath(null)).toBeNull();
});
