import { renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type * as AddressSecrets from "./address-secrets.ts";

type Secrets = typeof AddressSecrets;

/** What a page loaded at `address` knows. */
async function load(address: string): Promise<Secrets> {
  window.history.replaceState(null, "", address);
  vi.resetModules();
  const secrets = await import("./address-secrets.ts");
  secrets.takeSecretsFromAddress();
  return secrets;
}

const tokenOf = (secrets: Secrets, path: string) => renderHook(() => secrets.useLinkToken(path)).result.current;

const valuesOf = (storage: Storage) => Array.from({ length: storage.length }, (_, at) => storage.getItem(storage.key(at) ?? ""));

beforeEach(() => sessionStorage.clear());
afterEach(() => {
  vi.restoreAllMocks();
  sessionStorage.clear();
});

test("an invitation is still known after a reload and a sign-in on another site, and is in no address", async () => {
  expect(tokenOf(await load("/family/join#t=secret"), "/family/join")).toBe("secret");
  expect(window.location.href).not.toContain("secret");
  expect(tokenOf(await load("/auth/google/callback?code=c"), "/family/join")).toBe("secret");
  expect(tokenOf(await load("/family/join#t=newer"), "/family/join")).toBe("newer");
});

test("an invitation is forgotten when it was accepted, and after two hours", async () => {
  (await load("/family/join#t=secret")).forgetInvitation();
  expect(tokenOf(await load("/family/join"), "/family/join")).toBeNull();
  await load("/family/join#t=secret");
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 2 * 60 * 60_000 + 1);
  expect(tokenOf(await load("/family/join"), "/family/join")).toBeNull();
});

test.each(["/reset-password", "/verify-email", "/change-email", "/account/export", "/newsletter/confirm"])(
  "the token of a link to %s is stored nowhere",
  async (path) => {
    expect(tokenOf(await load(`${path}#t=secret`), path)).toBe("secret");
    expect(window.location.href).not.toContain("secret");
    expect([...valuesOf(sessionStorage), ...valuesOf(localStorage)].join()).not.toContain("secret");
    expect(tokenOf(await load(path), path)).toBeNull();
  },
);

test("without storage an invitation lasts as long as the page", async () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("blocked", "SecurityError");
  });
  expect(tokenOf(await load("/family/join#t=secret"), "/family/join")).toBe("secret");
});

test.each(["null", "{}", '"text"', '{"token":1,"at":1}', '{"token":"a","at":9e15}', "{"])(
  "a stored invitation that reads %s is ignored",
  async (stored) => {
    sessionStorage.setItem("family-invitation", stored);
    expect(tokenOf(await load("/family/join"), "/family/join")).toBeNull();
  },
);
