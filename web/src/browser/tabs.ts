/** Sends to the other tabs; null where the browser has no channels or blocks them. Each tab is then on its own. */
export function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}

/** Whether a tab of this browser holds the lock; false where the browser has no locks or blocks them. */
export async function isLockHeld(name: string): Promise<boolean> {
  try {
    return ((await navigator.locks.query()).held ?? []).some((lock) => lock.name === name);
  } catch {
    return false;
  }
}

/**
 * Runs `work` while this tab holds the lock, which no two tabs do; where the browser has no locks or blocks them, at once. `work` gets
 * null if another tab has the lock and `ifAvailable` is set. @throws what `work` throws, and the reason of an aborted `signal`
 */
export async function holdLock<T>(
  name: string,
  options: LockOptions,
  work: (lock: Lock | null | "unknown") => Promise<T>,
): Promise<T> {
  let begun = false;
  try {
    return await navigator.locks.request(name, options, (lock) => {
      begun = true;
      return work(lock);
    });
  } catch (error) {
    if (begun || options.signal?.aborted) throw error;
    return await work("unknown");
  }
}
