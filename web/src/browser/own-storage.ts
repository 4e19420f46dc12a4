import { readSetting, writeSetting } from "./setting.ts";

/** Everything under this belongs to one customer. */
const PREFIX = "own:";

function keyOf(customerId: string, name: string): string {
  return `${PREFIX}${customerId}:${name}`;
}

/** What this browser keeps for one customer alone under `name`; null without it. */
export function readOwn(customerId: string, name: string): string | null {
  return readSetting(keyOf(customerId, name));
}

/** Keeps `value` for one customer alone until they log out; null forgets it. */
export function writeOwn(customerId: string, name: string, value: string | null): void {
  writeSetting(keyOf(customerId, name), value);
}

/** Nothing that a customer kept in this browser stays for whoever sits here next. To be called when they log out. */
export function forgetOwn(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // Storage is blocked: nothing was kept.
  }
}
