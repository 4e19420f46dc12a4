import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryStorage } from "../../test/memory-storage.ts";
import {
  dropSession,
  endSession,
  followOtherTabs,
  getToken,
  onSessionChange,
  readSessionEnd,
  setCallLive,
  startSession,
} from "./session.ts";

afterEach(() => {
  setCallLive(false);
  dropSession();
});

test("a listener that fails keeps neither the sign-in from succeeding nor the others from hearing of it", () => {
  const reported = vi.fn<typeof reportError>();
  vi.stubGlobal("reportError", reported);
  const heard = vi.fn<() => void>();
  const stop = [
    onSessionChange(() => {
      throw new TypeError("not a function");
    }),
    onSessionChange(heard),
  ];
  expect(() => startSession("a")).not.toThrow();
  expect(heard).toHaveBeenCalledTimes(1);
  expect(reported).toHaveBeenCalledWith(expect.any(TypeError));
  for (const one of stop) one();
});

describe("a session that ends", () => {
  test("is dropped at once when no call is live", () => {
    startSession("a");
    endSession("a", undefined);
    expect(getToken()).toBeNull();
  });

  test("outlives a live call and is dropped when the call ends", () => {
    startSession("a");
    setCallLive(true);
    endSession("a", undefined);
    expect(getToken()).toBe("a");
    setCallLive(false);
    expect(getToken()).toBeNull();
  });

  test("is not dropped by a late response to an older token", () => {
    startSession("a");
    startSession("b");
    endSession("a", undefined);
    expect(getToken()).toBe("b");
  });

  test("is replaced when a user signs in during the call", () => {
    startSession("a");
    setCallLive(true);
    endSession("a", undefined);
    startSession("b");
    setCallLive(false);
    expect(getToken()).toBe("b");
  });
});

test("why the service ended a session is known when it is dropped, after a live call, until the next one starts", () => {
  startSession("a");
  setCallLive(true);
  endSession("a", "password_changed");
  expect(readSessionEnd()).toBeNull();
  setCallLive(false);
  expect(readSessionEnd()).toBe("password_changed");
  startSession("b");
  expect(readSessionEnd()).toBeNull();
  dropSession();
  expect(readSessionEnd()).toBeNull();
});

test("listeners receive every change once and none after they unsubscribe", () => {
  const heard: (string | null)[] = [];
  const stop = onSessionChange(() => heard.push(getToken()));
  startSession("a");
  startSession("a");
  dropSession();
  stop();
  startSession("b");
  expect(heard).toEqual(["a", null]);
});

describe("another tab", () => {
  let page: EventTarget;
  const heard: (string | null)[] = [];
  let stop: () => void;

  beforeEach(() => {
    vi.stubGlobal("localStorage", memoryStorage());
    page = new EventTarget();
    vi.stubGlobal("window", page);
    vi.stubGlobal("document", page);
    followOtherTabs();
    startSession("a");
    heard.length = 0;
    stop = onSessionChange(() => heard.push(getToken()));
  });
  afterEach(() => {
    stop();
    vi.unstubAllGlobals();
  });

  /** What the browser does in this tab when another tab signs in or out. */
  function otherTab(token: string | null): void {
    if (token === null) localStorage.removeItem("token");
    else localStorage.setItem("token", token);
    page.dispatchEvent(Object.assign(new Event("storage"), { key: "token" }));
  }

  test("is followed at once when no call is live", () => {
    otherTab(null);
    otherTab("b");
    expect(heard).toEqual([null, "b"]);
  });

  test("that signs out and in again ends no call here; its session is adopted after the call", () => {
    setCallLive(true);
    heard.length = 0;
    otherTab(null);
    otherTab("b");
    endSession("a", undefined); // the service's response to this tab, which still uses its old token
    expect(heard).toEqual([]);
    expect(localStorage.getItem("token")).toBe("b");
    setCallLive(false);
    expect(heard).toEqual(["b"]);
    expect(localStorage.getItem("token")).toBe("b");
  });

  test("that signs out during the call signs this tab out when the call ends", () => {
    setCallLive(true);
    heard.length = 0;
    otherTab(null);
    setCallLive(false);
    expect(heard).toEqual([null]);
  });

  test("that started a session keeps it when this tab's own is no longer valid", () => {
    localStorage.setItem("token", "b"); // this tab has not received the storage event yet
    endSession("a", undefined);
    expect(getToken()).toBe("b");
    expect(localStorage.getItem("token")).toBe("b");
  });

  test("and a reload know why the service ended the session, until the next one starts", async () => {
    endSession("a", "expired");
    vi.resetModules();
    const another = await import("./session.ts");
    expect(another.readSessionEnd()).toBe("expired");
    another.startSession("b");
    otherTab("b");
    expect(readSessionEnd()).toBeNull();
    otherTab(null);
    expect([readSessionEnd(), another.readSessionEnd()]).toEqual([null, null]);
  });

  test("that has signed in meanwhile leaves nothing to explain", () => {
    localStorage.setItem("token", "b");
    endSession("a", "expired");
    expect(readSessionEnd()).toBeNull();
  });

  test.each([
    ["is shown again from the browser's memory", Object.assign(new Event("pageshow"), { persisted: true })],
    ["was frozen", new Event("resume")],
    ["was hidden", new Event("visibilitychange")],
  ])("is followed by a page that %s and has missed its events", (_, goesOn) => {
    for (const token of [null, "b"]) {
      if (token === null) localStorage.removeItem("token");
      else localStorage.setItem("token", token);
      page.dispatchEvent(goesOn);
      expect(getToken()).toBe(token);
    }
    setCallLive(true);
    localStorage.removeItem("token");
    page.dispatchEvent(goesOn);
    expect(getToken()).toBe("b");
    setCallLive(false);
    expect(getToken()).toBeNull();
  });

  test("is not followed where a page is shown for the first time", () => {
    localStorage.removeItem("token");
    page.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
    expect(getToken()).toBe("a");
  });

  test("sends nothing: the end of a call is still reported", () => {
    setCallLive(true);
    setCallLive(false);
    expect(heard).toEqual(["a", "a"]);
  });
});
