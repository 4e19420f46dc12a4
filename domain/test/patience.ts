/**
 * How long a test waits for a condition. A condition that is met ends the wait at once, so only a broken product takes this
 * long, and no machine is too slow.
 */
export const PATIENCE_MS = 60_000;

/** For `vi.waitFor` and `vi.waitUntil`, which have no default of the whole run. `expect.poll` waits as long by itself. */
export const PATIENCE = { timeout: PATIENCE_MS, interval: 10 } as const;
