import { browsersSince } from "../accounts/accounts.ts";
import type { Context } from "../context.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import { deleteExpiredAccess } from "./people/operator-session.store.ts";
import { operatorIdleSince } from "./people/operator-sessions.ts";

export { accountVerbs } from "./change-account.ts";

export { CONCERNS_NOBODY, MOVES_NOTHING, recordOperation } from "./operations.store.ts";

export { lockMoneyOperations } from "./approval.store.ts";

export type { Approval } from "./operator.tables.ts";

export { decidableActions, openApprovals, proposalVerbs, readProposals, rightToDecide, whyNotConfirm } from "./proposals.ts";

export { runOperation, settlePlan, type Order, type Plan, type Verb } from "./run-operation.ts";

export { concernsAboutAmount, readAloneLeft, refuseDone, resultOf, type Concern, type Outcome } from "./second-operator.ts";

export { peopleVerbs, readOperators } from "./people/change-operator.ts";

export { confirmCommandLine } from "./people/command-line.ts";

export { inviteFirstAdmin } from "./people/invite-operator.ts";

export { isAnotherAdminTrusted } from "./people/operator.store.ts";

export { endAllOperatorAccess } from "./people/operator-session.store.ts";

export { admitOperator, requireRight } from "./people/operator-sessions.ts";

export { consoleToken, operatorGuard, operatorOf } from "./people/operator-guard.ts";

export { operatorRoutes } from "./people/operator-routes.ts";

export { peopleRoutes, auditLogRoutes } from "./people/people-routes.ts";

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
