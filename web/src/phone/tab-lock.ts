/** Resolves to a function that gives the lock back, or to null when another tab has it. */
export type ClaimTab = () => Promise<(() => void) | null>;

const LOCK_NAME = "farline-call";

/**
 * Makes sure that one tab of this browser calls at a time. The browser gives the lock back when the tab goes away.
 * Without the Web Locks API every tab may try; the service then refuses the second call.
 */
export const claimTab: ClaimTab = () => {
  if (!navigator.locks) return Promise.resolve(() => undefined);
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(LOCK_NAME, { ifAvailable: true }, (lock) => {
        if (lock === null) {
          resolve(null);
          return undefined;
        }
        return new Promise<void>((release) => resolve(release));
      })
      .catch(reject);
  });
};
