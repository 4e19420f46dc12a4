import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../service/http.ts";
import { logOut, logOutEverywhere } from "./log-out.ts";
import { memoryStorage } from "../../test/memory-storage.ts";
import { readDraft, writeDraft } from "../service/use-draft.ts";
import { dropSession, getToken, setCallLive, startSession } from "./session.ts";
import { readOwn, writeOwn } from "../browser/own-storage.ts";

let asked: { path: string; keepalive: boolean | undefined; authorization: string | undefined }[];
let status: number;

beforeEach(() => {
  asked = [];
  status = 204;
  // `Object.keys` of a real storage lists its entries.
  vi.stubGlobal("localStorage", new Proxy(memoryStorage(), { ownKeys: () => ["own:7:contacts"], getOwnPropertyDescriptor }));
  vi.stubGlobal("sessionStorage", new Proxy(memoryStorage(), { ownKeys: () => ["own:7:drafts"], getOwnPropertyDescriptor }));
  vi.stubGlobal("fetch", async (path: string, { keepalive, headers }: RequestInit) => {
    asked.push({ path, keepalive, authorization: new Headers(headers).get("authorization") ?? undefined });
    return new Response(null, { status });
  });
  startSession("a");
  writeOwn("7", "contacts", "[]");
  writeDraft("7", "question", '"Why?"');
  sessionStorage.setItem("family-invitation", "{}");
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
  ["here", async () => logOut("/")],
  ["everywhere", logOutEverywhere],
])("logging out %s", (_, leave) => {
  it("ends the session and removes the customer's data from this browser", async () => {
    await leave();
    expect(getToken()).toBeNull();
    expect(readOwn("7", "contacts")).toBeNull();
    expect(readDraft("7", "question")).toBeNull();
    expect(sessionStorage.getItem("family-invitation")).toBeNull();
    expect(asked).toMatchObject([{ authorization: "Bearer a" }]);
  });

  it("changes nothing during a call", async () => {
    setCallLive(true);
    await leave();
    expect(getToken()).toBe("a");
    expect(readOwn("7", "contacts")).toBe("[]");
    expect(asked).toEqual([]);
  });
});

it.each([
  ["removes the customer's drafts, which that tab cannot reach", null, null],
  ["keeps the customer's drafts when the service has ended the session", "expired", '"Why?"'],
])("logging out in another tab %s", (_, why, kept) => {
  if (why !== null) localStorage.setItem("session-end", why);
  localStorage.removeItem("token");
  dropSession();
  expect(readDraft("7", "question")).toBe(kept);
});

it("logging out reaches the service even if the page closes at once", () => {
  logOut("/");
  expect(asked).toMatchObject([{ path: "/api/logout", keepalive: true }]);
});

it("logging out everywhere fails when the service cannot be reached", async () => {
  status = 503;
  await expect(logOutEverywhere()).rejects.toBeInstanceOf(ApiError);
  expect(getToken()).toBe("a");
  expect(readOwn("7", "contacts")).toBe("[]");
});
