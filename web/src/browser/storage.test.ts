import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryStorage } from "../../test/memory-storage.ts";
import { type SpoiltStorage, spoilStorage } from "../../test/spoilt-storage.ts";
import type * as Storage from "./storage.ts";

let storage: typeof Storage;

beforeEach(async () => {
  vi.resetModules();
  for (const area of ["localStorage", "sessionStorage"]) vi.stubGlobal(area, memoryStorage());
  storage = await import("./storage.ts");
});
afterEach(() => vi.unstubAllGlobals());

describe.each<SpoiltStorage>(["blocked", "full", "missing"])("where storage is %s", (how) => {
  test("a value lasts as long as the page, and the caller is told", () => {
    spoilStorage(how);
    for (const [write, read] of [
      [storage.writeSetting, storage.readSetting],
      [storage.writeTab, storage.readTab],
    ] as const) {
      expect(read("key")).toBeNull();
      expect(write("key", "value")).toBe(false);
      expect(read("key")).toBe("value");
      write("key", null);
      expect(read("key")).toBeNull();
    }
  });

  test("a customer's values are forgotten with the others", () => {
    spoilStorage(how);
    storage.writeSetting("own:7:contacts", "[]");
    storage.writeTab("own:7:drafts", "[]");
    storage.writeTab("other", "kept");
    storage.forgetAll("own:");
    expect([storage.readSetting("own:7:contacts"), storage.readTab("own:7:drafts")]).toEqual([null, null]);
    expect(storage.readTab("other")).toBe("kept");
  });
});

test("a value that no longer fits replaces the former one, which the next page must not find", () => {
  storage.writeSetting("token", "of-a");
  spoilStorage("full");
  expect(storage.writeSetting("token", "of-b")).toBe(false);
  expect(storage.readSetting("token")).toBe("of-b");
  expect(localStorage.getItem("token")).toBeNull();
});

test("once there is room again, a value is stored, and other tabs' changes are read", () => {
  const room = spoilStorage("full");
  storage.writeSetting("key", "first");
  room();
  expect(storage.writeSetting("key", "second")).toBe(true);
  localStorage.setItem("key", "of another tab");
  expect(storage.readSetting("key")).toBe("of another tab");
});
