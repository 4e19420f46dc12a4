import { DAY_MS } from "@farline/domain/durations.ts";
import type { OperatorContext } from "../../context.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { ProposableAction } from "../proposals.ts";
import { guardChange, type Concern, type Moved } from "../second-operator.ts";
import { isAnotherAdminTrusted, storeTrustedFrom } from "./operator.store.ts";

/** How long an operator whom one administrator let in alone does not count as a second person. */
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

/**
 * Lets an operator in, or further in, if another administrator proposed it, and otherwise proposes it. While no other administrator
 * counts as a second person, it is done at once, and the operator counts as one a week later. Commit as with `guardChange`.
 * @param run makes the change
 */
export async function letIn<Result>(
  tx: Transaction,
  ctx: OperatorContext,
  { operatorId, ...change }: LettingIn,
  run: () => Promise<{ readonly id: string; readonly result: Result }>,
): Promise<Moved<Result>> {
  const now = ctx.clock.now();
  const others = await isAnotherAdminTrusted(tx, { except: [ctx.actor.id, operatorId ?? ctx.actor.id], now });
  return guardChange(tx, ctx, { ...change, concerns: others ? [NEEDS_ANOTHER] : [] }, async () => {
    const { id, result } = await run();
    await storeTrustedFrom(tx, id, change.confirms === null ? new Date(now.getTime() + PROBATION_MS) : now);
    return { result, detail: { operator: id } };
  });
}
