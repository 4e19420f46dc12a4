import { expect } from "@playwright/test";

const OFTEN = { intervals: [100] };

/** `expect.poll`, ten times a second. Playwright's own looks only once a second after its first three looks. */
export function poll<Value>(value: () => Value | Promise<Value>) {
  return expect.poll(value, OFTEN);
}
