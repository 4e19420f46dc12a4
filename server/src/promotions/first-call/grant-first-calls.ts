import { BONUS_DESCRIPTIONS, FAILED_RETRY_MS, firstCallRules, waitingFreeCredit, SHARED } from "../promotion-limits.ts";
import { findCustomer, isDisposableAddress, isOriginKnown, type Customer } from "../../accounts/accounts.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { reserveFreeCredit } from "../free-credit/free-credit-budget.ts";
import type { FirstCallRefusal } from "../promotions.tables.ts";
import {
  dueFirstCalls,
  refuseFirstCall,
  sharedWithFirstCaller,
  storeFirstCall,
  lockFirstCall,
  postponeFirstCall,
} from "./first-call.store.ts";
import type { ServiceContext } from "../../context.ts";

const MAX_PER_RUN = 50;

/**
 * Grants customers with a verified address the first-call bonus, once per person as far as can be told. A trigger on the
 * customer table records who is due, however the address was verified.
 */
export async function grantFirstCalls(ctx: ServiceContext, signal: AbortSignal): Promise<void> {
  for (const customerId of await dueFirstCalls(ctx.handle.db, ctx.clock.now(), MAX_PER_RUN)) {
    if (signal.aborted) return;
    const granted = await decideOrPostpone(ctx, customerId);
    if (!granted) continue;
    ctx.live.publish(customerId, { type: "balance" });
    ctx.live.publish(customerId, { type: "transactions" });
  }
}

/** An undecidable customer must not block the others. */
async function decideOrPostpone(ctx: ServiceContext, customerId: string): Promise<boolean> {
  const { db } = ctx.handle;
  try {
    return await ctx.transaction((tx) => decide(tx, ctx, customerId));
  } catch (error) {
    ctx.log.error({ err: error, customer: customerId }, "first call not decided yet");
    await postponeFirstCall(db, customerId, new Date(ctx.clock.now().getTime() + FAILED_RETRY_MS));
    return false;
  }
}

/** Refusals that may resolve over time. */
const RETRIED: readonly FirstCallRefusal[] = ["no_origin", "budget"];

/** @returns whether the bonus was granted */
async function decide(tx: Transaction, ctx: ServiceContext, customerId: string): Promise<boolean> {
  const due = await lockFirstCall(tx, customerId);
  if (due === undefined) return false;
  const now = ctx.clock.now();
  const customer = await findCustomer(tx, customerId);
  const refusal = customer?.status === "active" ? await grantOrRefuse(tx, ctx, customer) : "frozen";
  if (refusal === null) return true;
  if (RETRIED.includes(refusal) && now.getTime() - due.created_at.getTime() <= waitingFreeCredit.giveUpMs) {
    await postponeFirstCall(tx, customerId, new Date(now.getTime() + waitingFreeCredit.retryMs));
    return false;
  }
  await refuseFirstCall(tx, customerId, refusal, now);
  ctx.log.info({ customer: customerId, refusal }, "first call not granted");
  return false;
}

async function grantOrRefuse(tx: Transaction, ctx: ServiceContext, customer: Customer): Promise<FirstCallRefusal | null> {
  const refusal = await refusalOf(tx, ctx, customer);
  if (refusal !== null) return refusal;
  const amountMicros = ctx.config.promotions.firstCallMicros;
  return (await grantBonus(tx, ctx, { customerId: customer.id, amountMicros, now: ctx.clock.now() })) ? null : "budget";
}

/** @returns false if the day's budget is used up */
async function grantBonus(
  tx: Transaction,
  ctx: ServiceContext,
  grant: { customerId: string; amountMicros: bigint; now: Date },
): Promise<boolean> {
  const { customerId, amountMicros, now } = grant;
  const key = `first-call:${customerId}`;
  await ctx.ledger.lockAccounts(tx, [customerId]);
  const reserved = { key, customerId, kind: "first_call", amountMicros } as const;
  if (!(await reserveFreeCredit(tx, ctx.config, { grants: [reserved], now }))) return false;
  await storeFirstCall(tx, { customerId, bonusMicros: amountMicros, now });
  const posting = { key, customerId, kind: "bonus", amountMicros, referenceId: null } as const;
  await ctx.ledger.credit(tx, { ...posting, description: BONUS_DESCRIPTIONS.first_call });
  return true;
}

async function refusalOf(tx: Tx, { config, clock }: ServiceContext, customer: Customer): Promise<FirstCallRefusal | null> {
  if (config.promotions.firstCallMicros === 0n) return "off";
  const networkSince = new Date(clock.now().getTime() - firstCallRules.networkWindowMs);
  const shared = await sharedWithFirstCaller(tx, customer.id, networkSince);
  if (shared === "mailbox") return SHARED.mailbox;
  if (config.limitsScale === 0) return null;
  if (isDisposableAddress(customer.email)) return "disposable_address";
  if (shared !== null) return SHARED[shared];
  return (await isOriginKnown(tx, customer.id)) ? null : "no_origin";
}
