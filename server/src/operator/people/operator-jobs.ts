import { browsersSince } from "../../accounts/accounts.ts";
import type { Context } from "../../context.ts";
import type { Job } from "../../platform/jobs/jobs.ts";
import { deleteExpiredAccess } from "./operator-session.store.ts";
import { operatorIdleSince } from "./operator-sessions.ts";

const CLEAN_EVERY_MS = 60 * 60 * 1000;

/** Removes what has expired: operators' sessions, codes, links and challenges. */
export function operatorJobs({ handle, clock }: Context): Job[] {
  return [
    {
      name: "remove-expired-operator-access",
      everyMs: CLEAN_EVERY_MS,
      run: (signal) => {
        const now = clock.now();
        return deleteExpiredAccess(
          handle.db,
          { now, idleSince: operatorIdleSince(now), browsersSince: browsersSince(now) },
          signal,
        );
      },
    },
  ];
}
