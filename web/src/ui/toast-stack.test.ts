import { expect, it } from "vitest";
import type { ToastItem } from "./toast.ts";
import { addToast, closeToast, removeToast, type ShownToast } from "./toast-stack.ts";

const item = (text: string, key?: string): ToastItem => ({ key, kind: "info", text, timeoutMs: 5000 });
const stack = (...items: ToastItem[]) => items.reduce<readonly ShownToast[]>(addToast, []);
const texts = (shown: readonly ShownToast[]) => shown.map((one) => (one.leaving ? `(${one.text})` : one.text));

it("the newest stands on top, and no more than three stay", () => {
  expect(texts(stack(item("a"), item("b"), item("c"), item("d")))).toEqual(["d", "c", "b", "(a)"]);
});

it("a message of the same key takes the place of the first, with its time anew", () => {
  const first = stack(item("calling", "call"), item("b"));
  const second = addToast(first, item("ringing", "call"));
  expect(texts(second)).toEqual(["b", "ringing"]);
  expect(second[1]?.version).not.toBe(first[1]?.version);
});

it("a message that is taken back leaves, and is forgotten afterwards", () => {
  const leaving = closeToast(stack(item("calling", "call"), item("b")), "call");
  expect(texts(leaving)).toEqual(["b", "(calling)"]);
  expect(texts(removeToast(leaving, leaving[1]!))).toEqual(["b"]);
});

it("a message shown anew while it leaves is not forgotten with its old text", () => {
  const leaving = closeToast(stack(item("calling", "call")), "call");
  expect(texts(removeToast(addToast(leaving, item("calling again", "call")), leaving[0]!))).toEqual(["calling again"]);
});
