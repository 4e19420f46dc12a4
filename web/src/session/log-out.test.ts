import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../service/http.ts";
import { logOut, logOutEverywhere } from "./log-out.ts";
import { memoryStorage } from "../../test/memory-storage.ts";
import { readOwn, writeOwn } from "../browser/own-storage.ts";
import { dropSession, getToken, setCallLive, startSession } from "./session.ts";

let asked: { path: string; keepalive: boolean | undefined; authorization: string | undefined }[];
let status: number;

beforeEach(() => {
  asked = [];
  status = 204;
  // `Object.keys` of a real storage lists what is kept.
  vi.stubGlobal("localStorage", new Proxy(memoryStorage(), { ownKeys: () => ["own:7:contacts"], getOwnPropertyDescriptor }));
  vi.stubGlobal("fetch", async (path: string, { keepalive, headers }: RequestInit) => {
    asked.push({ path, keepalive, authorization: new Headers(headers).get("authorization") ?? undefined });
    return new Response(null, { status });
  });
  startSession("a");
  writeOwn("7", "contacts", "[]");
});
afterEach(() => {
  setCallLive(false);
  dropSession();
  vi.unstubAllGlobals();
});

function getOwnPropertyDescriptor(): PropertyDescriptor {
  return { enumerable: true, configurable: true };
}

describe.each([
  ["here", async () => void logOut()],
  ["everywhere", logOutEverywhere],
])("logging out %s", (_, leave) => {
  it("ends the session and leaves nothing of its customer in this browser", async () => {
    await leave();
    expect(getToken()).toBeNull();
    expect(readOwn("7", "contacts")).toBeNull();
    expect(asked).toMatchObject([{ authorization: "Bearer a" }]);
  });

  it("waits for the end of a call: nothing happens before", async () => {
    setCallLive(true);
    await leave();
    expect(getToken()).toBe("a");
    expect(readOwn("7", "contacts")).toBe("[]");
    expect(asked).toEqual([]);
  });
});

it("the service hears of it even when the page goes away at once", () => {
  expect(logOut()).toBe(true);
  expect(asked).toMatchObject([{ path: "/api/logout", keepalive: true }]);
});

it("everywhere is not said to be done when the service could not be told", async () => {
  status = 503;
  await expect(logOutEverywhere()).rejects.toBeInstanceOf(ApiError);
  expect(getToken()).toBe("a");
  expect(readOwn("7", "contacts")).toBe("[]");
});
