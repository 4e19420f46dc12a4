import { setTimeout as pause } from "node:timers/promises";

const CHECK_EVERY_MS = 50;

/** Waits for a condition for a bounded time. @returns whether it became true */
export async function until(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await pause(CHECK_EVERY_MS);
  }
  return true;
}
