/** What this browser remembers under `key`; null without it, and where storage is blocked. */
export function readSetting(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Remembers `value` under `key`; null forgets it. Where storage is blocked the setting lives as long as the page. */
export function writeSetting(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Nothing to remember it in: what is on the screen stays.
  }
}
