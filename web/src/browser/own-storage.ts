import { readSetting, writeSetting } from "./setting.ts";

/** Prefix of everything that belongs to one customer. */
const PREFIX = "own:";

function keyOf(customerId: string, name: string): string {
  return `${PREFIX}${customerId}:${name}`;
}

/** What this browser stores for one customer under `name`; null if nothing. */
export function readOwn(customerId: string, name: string): string | null {
  return readSetting(keyOf(customerId, name));
}

/** Stores `value` for one customer until they log out; null removes it. */
export function writeOwn(customerId: string, name: string, value: string | null): void {
  writeSetting(keyOf(customerId, name), value);
}

/** Removes everything the customer stored in this browser. Call it at logout, because the next user may be another one. */
export function forgetOwn(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // Storage is blocked: nothing was stored.
  }
}
