import { expect, test } from "vitest";
import { answerFor } from "./shell-cache.ts";

const ORIGIN = "https://farline.example";
const get = (path: string, mode: RequestMode = "cors") => ({ method: "GET", mode, url: new URL(path, ORIGIN).href });

test("the API is never cached or replaced, not even when it is opened as a page", () => {
  for (const mode of ["cors", "navigate"] as const)
    for (const path of ["/api", "/api/user", "/api/billing/balance?x=/assets/"])
      expect(answerFor(get(path, mode), ORIGIN)).toBe("network");
});

test("writes and other origins go to the network untouched", () => {
  expect(answerFor({ ...get("/assets/app.js"), method: "POST" }, ORIGIN)).toBe("network");
  expect(answerFor(get("https://elsewhere.example/assets/app.js"), ORIGIN)).toBe("network");
});

test("a page comes from the network with the shell as fallback, a build file from the cache", () => {
  expect(answerFor(get("/history", "navigate"), ORIGIN)).toBe("page");
  expect(answerFor(get("/assets/app-abc.js"), ORIGIN)).toBe("file");
  expect(answerFor(get("/service-worker.js"), ORIGIN)).toBe("network");
});
