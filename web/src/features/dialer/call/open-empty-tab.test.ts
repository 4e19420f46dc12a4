import { afterEach, expect, it, vi } from "vitest";
import { memoryStorage } from "../../../../test/memory-storage.ts";
import { openEmptyTab } from "./open-empty-tab.ts";

afterEach(() => vi.unstubAllGlobals());

it("the new tab keeps nothing of this tab's session storage", () => {
  const sessionStorage = memoryStorage();
  sessionStorage.setItem("farline-call-of-this-tab", "call-1");
  vi.stubGlobal("window", { open: () => ({ sessionStorage }) });
  expect(openEmptyTab()).not.toBeNull();
  expect(sessionStorage).toHaveLength(0);
});

it("opens even if storage is blocked, and reports a blocked pop-up", () => {
  const blocked = {
    get sessionStorage(): Storage {
      throw new DOMException("The operation is insecure.", "SecurityError");
    },
  };
  vi.stubGlobal("window", { open: () => blocked });
  expect(openEmptyTab()).toBe(blocked);
  vi.stubGlobal("window", { open: () => null });
  expect(openEmptyTab()).toBeNull();
});
