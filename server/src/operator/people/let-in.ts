import { DAY_MS } from "@farline/domain/durations.ts";
import type { OperatorContext } from "../../context.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { ProposableAction } from "../proposals.ts";
import { MOVES_NOTHING } from "../operations.store.ts";
import type { Approval } from "../operator.tables.ts";
import { guardChange, type Concern, type Moved } from "../second-operator.ts";
import { isAnotherAdminTrusted, storeTrustedFrom } from "./operator.store.ts";

/** How long an operator who was let in, or further in, does not count as a second person, however many administrators agreed. */
const PROBATION_MS = 7 * DAY_MS;
const NEEDS_ANOTHER: Concern = {
  kind: "lets-somebody-in",
  text: "Another administrator must confirm who is let in, and with which role.",
};

/** What lets somebody in, or further in: a new operator, a higher role, a new link. */
interface LettingIn {
  readonly action: Extract<ProposableAction, "invite-operator" | "change-role" | "renew-invitation">;
  /** Null for a new one. */
  readonly operatorId: string | null;
  /** The operator's id, or the address of a new one. */
  readonly subject: string;
  readonly reason: string;
  readonly detail: Readonly<Record<string, string>>;
  /** Another administrator's proposal of the same; null for a new one. */
  readonly confirms: string | null;
}

/** From now on, the operator does not count as a second person for a week. */
export async function startProbation(tx: Transaction, operatorId: string, now: Date): Promise<void> {
  await storeTrustedFrom(tx, operatorId, new Date(now.getTime() + PROBATION_MS));
}

/**
 * Lets an operator in, or further in, if another administrator proposed it, and otherwise proposes it. While no other administrator
 * counts as a second person, it is done at once. The operator counts as one a week later, because until then the person who handed over the
 * link, or held it, could be them. Commit as with `guardChange`.
 * @param run makes the change; the proposal is null if there was nobody to ask
 */
export async function letIn<Result>(
  tx: Transaction,
  ctx: OperatorContext,
  { operatorId, ...change }: LettingIn,
  run: (approval: Approval | null) => Promise<{ readonly id: string; readonly result: Result }>,
): Promise<Moved<Result>> {
  const now = ctx.clock.now();
  const others = await isAnotherAdminTrusted(tx, { except: [ctx.actor.id, operatorId ?? ctx.actor.id], now });
  return guardChange(tx, ctx, { ...change, moves: MOVES_NOTHING, concerns: others ? [NEEDS_ANOTHER] : [] }, async (approval) => {
    const { id, result } = await run(approval);
    await startProbation(tx, id, now);
    return { result, detail: { operator: id } };
  });
}
