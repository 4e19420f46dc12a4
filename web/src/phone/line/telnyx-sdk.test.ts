import { afterEach, expect, test } from "vitest";
import { type SpoiltStorage, spoilStorage } from "../../../test/spoilt-storage.ts";
import { writeTab } from "../../browser/storage.ts";
import { provideTabStorage } from "./telnyx-sdk.ts";

let restore: () => void;
afterEach(() => restore());

test.each<SpoiltStorage>(["blocked", "full", "missing"])(
  "where storage is %s the SDK has one in memory, which is known not to last",
  (how) => {
    restore = spoilStorage(how);
    provideTabStorage();
    sessionStorage.setItem("id", "1");
    expect(sessionStorage.getItem("id")).toBe("1");
    sessionStorage.removeItem("id");
    expect(sessionStorage.getItem("id")).toBeNull();
    expect(writeTab("reloaded", "1")).toBe(false);
  },
);
