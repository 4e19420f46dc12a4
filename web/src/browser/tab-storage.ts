/** The value that this tab stores under `key`; null if there is none or storage is blocked. */
export function readTab(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores `value` under `key` for this tab; null removes it. Does nothing if storage is blocked. */
export function writeTab(key: string, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch {
    // What it is for then lasts as long as the page.
  }
}
