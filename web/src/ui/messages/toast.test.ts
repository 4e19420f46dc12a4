import { expect, test } from "vitest";
import { attachToaster, toast } from "./toast.ts";

test("a toast dismissed before the toaster loads is never shown", () => {
  toast.info("Calling +44 20 7946 0001...", "calling");
  toast.success("Call ended");
  toast.dismiss("calling");
  const shown: string[] = [];
  const detach = attachToaster({ show: ({ text }) => shown.push(text), dismiss: () => undefined });
  expect(shown).toEqual(["Call ended"]);
  detach();
});

test("a visible toast is dismissed by its key", () => {
  const dismissed: string[] = [];
  const detach = attachToaster({ show: () => undefined, dismiss: (key) => dismissed.push(key) });
  toast.info("Calling +44 20 7946 0001...", "calling");
  toast.dismiss("calling");
  expect(dismissed).toEqual(["calling"]);
  detach();
});
