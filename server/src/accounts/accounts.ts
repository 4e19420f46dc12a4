import type { Clock } from "../platform/clock.ts";
import type { DatabaseHandle } from "../platform/database.ts";
import type { Job } from "../platform/jobs.ts";
import { deleteExpired } from "./accounts.store.ts";
import { idleSince } from "./start-session.ts";

export type { AccountParts } from "./account-parts.ts";
export { accountRoutes } from "./account-routes.ts";
export type { Customer } from "./accounts.store.ts";
export { createAuthenticate, type Authenticate } from "./authenticate.ts";

const CLEAN_EVERY_MS = 60 * 60 * 1000;

/** Removes sessions and counters that have run out. */
export function accountJobs(parts: { handle: DatabaseHandle; clock: Clock }): Job[] {
  return [
    {
      name: "remove-expired-sessions",
      everyMs: CLEAN_EVERY_MS,
      run: async () => {
        const now = parts.clock.now();
        await deleteExpired(parts.handle.db, { now, idleSince: idleSince(now) });
      },
    },
  ];
}
