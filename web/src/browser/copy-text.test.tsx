import { expect, test } from "vitest";
import { copyWithoutMarks } from "./copy-text.ts";

/** What a program gets that is pasted into; null if the browser copies by itself. */
function copied(text: string, from: Element = document.body): string | null {
  let taken: string | null = null;
  const clipboardData = { setData: (_type: string, value: string) => (taken = value) };
  const place = document.body.appendChild(document.createElement("p"));
  place.textContent = text;
  getSelection()?.selectAllChildren(place);
  const event = Object.assign(new Event("copy", { bubbles: true, cancelable: true }), { clipboardData });
  from.dispatchEvent(event);
  place.remove();
  return event.defaultPrevented ? taken : null;
}

test("numbers and amounts are copied without marks of direction", () => {
  copyWithoutMarks();
  expect(copied("\u2066+44 20 7946 0018\u2069")).toBe("+44 20 7946 0018");
  expect(copied("\u2067\u200f24.60 \u2066US$\u2069\u2069")).toBe("24.60 US$");
  // Everything else is the browser's.
  expect(copied("$24.60")).toBeNull();
  expect(copied("\u206624\u2069", document.body.appendChild(document.createElement("input")))).toBeNull();
});
