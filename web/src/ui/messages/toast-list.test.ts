import { expect, it } from "vitest";
import type { ToastItem } from "./toast.ts";
import { addToast, closeAll, closeToast, removeToast, type ShownToast } from "./toast-list.tsx";

const item = (text: string, key?: string): ToastItem => ({ key, kind: "info", text, timeoutMs: 5000 });
const stack = (...items: ToastItem[]) => items.reduce<readonly ShownToast[]>(addToast, []);
const texts = (shown: readonly ShownToast[]) => shown.map((one) => (one.leaving ? `(${one.text})` : one.text));

it("the newest is on top, and at most three stay", () => {
  expect(texts(stack(item("a"), item("b"), item("c"), item("d")))).toEqual(["d", "c", "b", "(a)"]);
});

it("a toast with the same key replaces the first and restarts its time", () => {
  const first = stack(item("calling", "call"), item("b"));
  const second = addToast(first, item("ringing", "call"));
  expect(texts(second)).toEqual(["b", "ringing"]);
  expect(second[1]?.version).not.toBe(first[1]?.version);
});

it("a dismissed toast leaves and is then removed", () => {
  const leaving = closeToast(stack(item("calling", "call"), item("b")), "call");
  expect(texts(leaving)).toEqual(["b", "(calling)"]);
  expect(texts(removeToast(leaving, leaving[1]!))).toEqual(["b"]);
});

it("a toast shown again while it leaves is not removed with its old text", () => {
  const leaving = closeToast(stack(item("calling", "call")), "call");
  expect(texts(removeToast(addToast(leaving, item("calling again", "call")), leaving[0]!))).toEqual(["calling again"]);
});

it("the next press closes all toasts except those shown after it", () => {
  const pressed = closeAll(stack(item("muted", "muting"), item("saved")));
  expect(texts(pressed)).toEqual(["(saved)", "(muted)"]);
  expect(texts(addToast(pressed, item("unmuted", "muting")))).toEqual(["(saved)", "unmuted"]);
  expect(closeAll(pressed)).toBe(pressed);
});
