import { afterEach, expect, test, vi } from "vitest";
import { memoryStorage } from "../../test/memory-storage.ts";
import { openInTab } from "./open-tab.ts";

const PAGE = "https://pay.example/session-1";

/** The tab that the browser opens; null if it blocks it. */
function willOpen<Tab>(tab: Tab): Tab {
  vi.stubGlobal("window", { open: () => tab });
  return tab;
}

const aTab = () => ({
  sessionStorage: memoryStorage(),
  opener: "this page" as unknown,
  location: { replace: vi.fn() },
  close: vi.fn(),
});

afterEach(() => vi.unstubAllGlobals());

test("another site's page gets neither this tab's session storage nor access to this page", async () => {
  const tab = willOpen(aTab());
  tab.sessionStorage.setItem("farline-call-of-this-tab", "call-1");
  expect(await openInTab(async () => PAGE)).toEqual({ url: PAGE, isBlocked: false });
  expect(tab.sessionStorage).toHaveLength(0);
  expect(tab.opener).toBeNull();
  expect(tab.location.replace).toHaveBeenCalledExactlyOnceWith(PAGE);
});

test("the page opens even if storage is blocked", async () => {
  const tab = willOpen({
    opener: null,
    location: { replace: vi.fn() },
    get sessionStorage(): Storage {
      throw new DOMException("The operation is insecure.", "SecurityError");
    },
  });
  expect(await openInTab(async () => PAGE)).toEqual({ url: PAGE, isBlocked: false });
  expect(tab.location.replace).toHaveBeenCalledWith(PAGE);
});

test("a blocked pop-up is reported with the page's address", async () => {
  willOpen(null);
  expect(await openInTab(async () => PAGE)).toEqual({ url: PAGE, isBlocked: true });
});

test("the empty tab is closed again if there is no page for it", async () => {
  const tab = willOpen(aTab());
  await expect(openInTab(() => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  expect(tab.close).toHaveBeenCalledTimes(1);
});
