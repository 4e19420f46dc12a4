import { DAY_MS } from "@farline/domain/durations.ts";
import type { OperatorContext } from "../../context.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { CONCERNS_NOBODY } from "../operations.store.ts";
import type { Approval } from "../operator.tables.ts";
import type { Concern } from "../second-operator.ts";
import { isAnotherAdminTrusted, storeTrustedFrom } from "./operator.store.ts";

/** How long an operator who was let in, or further in, does not count as a second person, however many administrators agreed. */
const PROBATION_MS = 7 * DAY_MS;
const NEEDS_ANOTHER: Concern = {
  kind: "lets-somebody-in",
  text: "Another administrator must confirm who is let in, and with which role.",
};

/** From now on, the operator does not count as a second person for a week. */
export async function startProbation(tx: Transaction, operatorId: string, now: Date): Promise<void> {
  await storeTrustedFrom(tx, operatorId, new Date(now.getTime() + PROBATION_MS));
}

/** What lets somebody in, or further in: a new operator, a higher role, a new link. */
interface LettingIn {
  /** Null for a new one. */
  readonly operatorId: string | null;
  /** The operator's id, or the address of a new one. */
  readonly subject: string;
  readonly detail: Readonly<Record<string, string>>;
}

/**
 * Plans to let an operator in, or further in, if another administrator proposed it, and otherwise to propose it. While no other administrator
 * counts as a second person, it is done at once. The operator counts as one a week later, because until then the person who handed over the
 * link, or held it, could be them.
 * @param run makes the change; the proposal is null if there was nobody to ask
 */
export async function planLettingIn<Result>(
  tx: Transaction,
  ctx: OperatorContext,
  { operatorId, subject, detail }: LettingIn,
  run: (approval: Approval | null) => Promise<{ readonly id: string; readonly result: Result }>,
) {
  const now = ctx.clock.now();
  const others = await isAnotherAdminTrusted(tx, { except: [ctx.actor.id, operatorId ?? ctx.actor.id], now });
  return {
    ...CONCERNS_NOBODY,
    subject,
    detail,
    concerns: others ? [NEEDS_ANOTHER] : [],
    run: async (approval: Approval | null) => {
      const { id, result } = await run(approval);
      await startProbation(tx, id, now);
      return { result, detail: { operator: id } };
    },
  };
}
