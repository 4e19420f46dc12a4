import { expect, test } from "vitest";
import { presentedTicket } from "./download-ticket.ts";

test.each([
  ["a HEAD request, as mail scanners send it", "HEAD", {}],
  ["a prefetching browser", "GET", { "sec-purpose": "prefetch;prerender" }],
  ["an older prefetching browser", "GET", { purpose: "prefetch" }],
  ["an old Firefox", "GET", { "x-moz": "prefetch" }],
])("%s uses up no ticket", (_who, method, headers) => {
  expect(() => presentedTicket({ method, headers }, "ticket")).toThrow("This address works once.");
});

test("a GET request presents its ticket", () => {
  expect(presentedTicket({ method: "GET", headers: {} }, "ticket")).toBe("ticket");
});
