import type { EndElsewhere } from "../accounts/accounts.ts";
import type { ServiceContext } from "../context.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import { deleteExpiredInvitations, deletePerson, findOwnerId } from "./family.store.ts";

export { deleteAllInvitations, readNames, showsNumbers } from "./family.store.ts";
export { familyRoutes } from "./family-routes.ts";
export { readAllowance } from "./read-family.ts";

const CLEAN_EVERY_MS = 60 * 60 * 1000;

/**
 * Takes the customer out of their family, which ends with its owner: an intruder may have let an accomplice call on the owner's credit, or
 * joined a family whose owner sees the called numbers.
 */
export const endFamilyAccess: EndElsewhere = async (tx, { customerId }) => {
  const ownerId = await findOwnerId(tx, customerId);
  if (ownerId === undefined) return [];
  const gone = await deletePerson(tx, { ownerId, personId: customerId });
  return gone.some((id) => id !== ownerId) ? ["family"] : [];
};

/** Deletes invitations that nobody accepted in time. */
export function familyJobs(ctx: ServiceContext): Job[] {
  return [
    {
      name: "remove-expired-family-invitations",
      everyMs: CLEAN_EVERY_MS,
      run: (signal) => deleteExpiredInvitations(ctx.handle.db, ctx.clock.now(), signal),
    },
  ];
}
