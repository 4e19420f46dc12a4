import { afterEach, expect, test, vi } from "vitest";
import { readCarriedNumber } from "../browser/carried-number.ts";
import { keepReturnPath, readReturnPath } from "../session/return-path.ts";

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
  sessionStorage.clear();
  localStorage.clear();
});

test("a public page clears the page stored before sign-in, also when restored by Back", async () => {
  vi.stubGlobal("IntersectionObserver", vi.fn());
  keepReturnPath("/billing", null);
  await import("./start.ts");
  expect(readReturnPath(null)).toBeNull();
  keepReturnPath("/billing", null);
  window.dispatchEvent(new Event("pageshow"));
  expect(readReturnPath(null)).toBeNull();
});

test.each([
  ["a country page's country", 'data-carry-country="GH"', "/register", { number: "", country: "GH" }],
  [
    "a number entered on the page",
    'data-carry-country="GB" data-carry-number="020 7946 0000"',
    "/login",
    { number: "020 7946 0000", country: "GB" },
  ],
  ["nothing where nothing was entered", 'data-carry-country="" data-carry-number=""', "/register", null],
  ["nothing to other pages", 'data-carry-country="GH"', "/rates", null],
])("a link in the bar keeps %s", async (_what, attributes, href, carried) => {
  vi.stubGlobal("IntersectionObserver", vi.fn());
  await import("./start.ts");
  document.body.innerHTML = `<header><a href="${href}"><b>Get Started</b></a></header><form ${attributes}></form>`;
  document.addEventListener("click", (event) => event.preventDefault(), { once: true });
  document.querySelector("b")?.click();
  expect(readCarriedNumber("grace")).toEqual(carried);
});
