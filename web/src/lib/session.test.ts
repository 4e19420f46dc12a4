import { afterEach, describe, expect, test } from "vitest";
import { dropSession, endSession, getToken, onSessionChange, setCallLive, startSession } from "./session.ts";

afterEach(() => {
  setCallLive(false);
  dropSession();
});

describe("a session that ends", () => {
  test("is dropped at once when no call is live", () => {
    startSession("a");
    endSession("a");
    expect(getToken()).toBeNull();
  });

  test("outlives a live call and is dropped when the call ends", () => {
    startSession("a");
    setCallLive(true);
    endSession("a");
    expect(getToken()).toBe("a");
    setCallLive(false);
    expect(getToken()).toBeNull();
  });

  test("is not dropped by a late answer to an older token", () => {
    startSession("a");
    startSession("b");
    endSession("a");
    expect(getToken()).toBe("b");
  });

  test("is forgotten when somebody signs in during the call", () => {
    startSession("a");
    setCallLive(true);
    endSession("a");
    startSession("b");
    setCallLive(false);
    expect(getToken()).toBe("b");
  });
});

test("listeners hear every change once and none after they stop", () => {
  const heard: (string | null)[] = [];
  const stop = onSessionChange(() => heard.push(getToken()));
  startSession("a");
  startSession("a");
  dropSession();
  stop();
  startSession("b");
  expect(heard).toEqual(["a", null]);
});
