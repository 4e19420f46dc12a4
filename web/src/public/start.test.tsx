import { afterEach, expect, test, vi } from "vitest";
import { keepReturnPath, readReturnPath } from "../session/return-path.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

test("a public page clears the page stored before sign-in, also when restored by Back", async () => {
  vi.stubGlobal("IntersectionObserver", vi.fn());
  keepReturnPath("/billing", null);
  await import("./start.ts");
  expect(readReturnPath(null)).toBeNull();
  keepReturnPath("/billing", null);
  window.dispatchEvent(new Event("pageshow"));
  expect(readReturnPath(null)).toBeNull();
});
