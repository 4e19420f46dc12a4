import { holdLock, isLockHeld, openChannel } from "../browser/tabs.ts";

/** What this browser's tabs know about each other's calls. */
export interface TabLock {
  /**
   * Resolves to a function that releases the right to call, or to null when another tab has it.
   * @param waitMs how long to wait for that tab
   */
  claim(waitMs?: number): Promise<(() => void) | null>;
  /** Whether another tab is in a call. */
  isHeldElsewhere(): Promise<boolean>;
  /** Tells the other tabs that the running call changed. */
  announce(): void;
  /** Calls `listener` when another tab has announced a change. */
  onAnnounced(listener: () => void): void;
}

const LOCK_NAME = "farline-call";
const CHANNEL_NAME = "farline-call";

/**
 * Ensures that only one tab of this browser calls at a time. The browser releases the lock when the tab closes. Without locks
 * every tab may try; the service then refuses the second call.
 */
export function createTabLock(): TabLock {
  const channel = openChannel(CHANNEL_NAME);
  let mine = false;
  return {
    async claim(waitMs = 0) {
      const release = await requestLock(waitMs);
      if (release === null) return null;
      mine = true;
      return () => {
        mine = false;
        release();
      };
    },
    async isHeldElsewhere() {
      return !mine && (await isLockHeld(LOCK_NAME));
    },
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target: its origin is the page's
    announce: () => channel?.postMessage(null),
    onAnnounced: (listener) => channel?.addEventListener("message", listener),
  };
}

function requestLock(waitMs: number): Promise<(() => void) | null> {
  const options = waitMs === 0 ? { ifAvailable: true } : { signal: AbortSignal.timeout(waitMs) };
  return new Promise((resolve) => {
    holdLock(LOCK_NAME, options, async (lock) => {
      if (lock === null) return resolve(null);
      await new Promise<void>((release) => resolve(release));
    }).catch(() => resolve(null));
  });
}
