import { setTimeout as pause } from "node:timers/promises";

const CHECK_EVERY_MS = 20;
const TIMEOUT_MS = 20_000;

/** Waits for a condition. @throws Error when it does not become true in time */
export async function until(what: string, condition: () => boolean | Promise<boolean>, timeoutMs = TIMEOUT_MS): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`There was no ${what} in ${timeoutMs / 1_000} seconds.`);
    await pause(CHECK_EVERY_MS);
  }
}
