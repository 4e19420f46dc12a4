import { describe, expect, test, vi } from "vitest";

/** `handlePageEvents` is called by the tests' set-up. */
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
  expect(copied("\u2066+44 20 7946 0018\u2069")).toBe("+44 20 7946 0018");
  expect(copied("\u2067\u200f24.60 \u2066US$\u2069\u2069")).toBe("24.60 US$");
  // Everything else is the browser's.
  expect(copied("$24.60")).toBeNull();
  expect(copied("\u206624\u2069", document.body.appendChild(document.createElement("input")))).toBeNull();
});

test.each([{ isComposing: true }, { keyCode: 229 }])("keys of an input method (%o) reach no listener of the page", (of) => {
  const heard = vi.fn<(event: Event) => void>();
  for (const place of [window, document, document.body]) place.addEventListener("keydown", heard);
  const press = (more: object) =>
    document.body.dispatchEvent(
      Object.assign(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...more }), more),
    );
  press(of);
  expect(heard).not.toHaveBeenCalled();
  press({});
  expect(heard).toHaveBeenCalledTimes(3);
});

describe("what is dragged over the page", () => {
  function dragOver(type: string) {
    const dataTransfer = { types: [type], dropEffect: "copy" };
    const event = Object.assign(new Event("dragover", { bubbles: true, cancelable: true }), { dataTransfer });
    document.body.dispatchEvent(event);
    return { isHandled: event.defaultPrevented, effect: dataTransfer.dropEffect };
  }

  test("is refused if it is a file, because the browser would open it in the page's place", () => {
    expect(dragOver("Files")).toEqual({ isHandled: true, effect: "none" });
    expect(dragOver("text/plain")).toEqual({ isHandled: false, effect: "copy" });
  });

  test("is left to the part of the page that takes it", () => {
    document.body.addEventListener("dragover", (event) => event.preventDefault(), { once: true });
    expect(dragOver("Files")).toEqual({ isHandled: true, effect: "copy" });
  });
});
