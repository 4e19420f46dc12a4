import { BONUS_DESCRIPTIONS } from "../bonus-descriptions.ts";
import { findCustomer, isDisposableAddress, readOrigins, type Origins } from "../../accounts/accounts.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { FAILED_LOOK_AGAIN_MS, firstCallRules } from "../promotion-limits.ts";
import type { GrantDependencies } from "../promotion-dependencies.ts";
import type { FirstCallRefusal } from "../promotions.tables.ts";
import { tellingOrigins } from "../same-origin.ts";
import {
  dueFirstCalls,
  mailboxIsTaken,
  originWithFirstCall,
  refuseFirstCall,
  storeFirstCall,
  takeFirstCall,
  waitForFirstCall,
} from "./first-call.store.ts";
import { mailboxOf } from "./mailbox-of.ts";

const MOST_A_RUN = 50;

/**
 * Gives those who have proved an address the bonus for their first call, once a person as far as can be told. The trigger
 * of the customer table writes down who is due, however they came to prove it.
 */
export async function giveFirstCalls(deps: GrantDependencies, signal: AbortSignal): Promise<void> {
  for (const customerId of await dueFirstCalls(deps.handle.db, deps.clock.now(), MOST_A_RUN)) {
    if (signal.aborted) return;
    const given = await decideOrLater(deps, customerId);
    if (!given) continue;
    deps.live.publish(customerId, { type: "balance" });
    deps.live.publish(customerId, { type: "transactions" });
  }
}

/** An undecidable customer must not block the others. */
async function decideOrLater(deps: GrantDependencies, customerId: string): Promise<boolean> {
  const { db } = deps.handle;
  try {
    return await db.transaction().execute((tx) => decide(tx, deps, customerId));
  } catch (error) {
    deps.log.error({ err: error, customer: customerId }, "first call not decided yet");
    await waitForFirstCall(db, customerId, new Date(deps.clock.now().getTime() + FAILED_LOOK_AGAIN_MS));
    return false;
  }
}

/** @returns whether something was given */
async function decide(tx: Transaction, deps: GrantDependencies, customerId: string): Promise<boolean> {
  const due = await takeFirstCall(tx, customerId);
  if (due === undefined) return false;
  const now = deps.clock.now();
  const origins = tellingOrigins(await readOrigins(tx, customerId));
  const customer = await findCustomer(tx, customerId);
  const mailbox = mailboxOf(customer?.email ?? "");
  const verdict =
    customer?.status === "active" ? await judge(tx, deps, { mailbox, origins, waitingSince: due.created_at }) : "frozen";
  if (verdict === "wait") {
    await waitForFirstCall(tx, customerId, new Date(now.getTime() + firstCallRules.lookAgainMs));
    return false;
  }
  if (verdict !== "give") {
    await refuseFirstCall(tx, customerId, verdict, now);
    deps.log.info({ customer: customerId, refusal: verdict }, "first call not granted");
    return false;
  }
  const { firstCallMicros } = deps.config.promotions;
  await storeFirstCall(tx, { customerId, mailbox, bonusMicros: firstCallMicros, origins, now });
  await deps.ledger.credit(tx, {
    key: `first-call:${customerId}`,
    customerId,
    kind: "bonus",
    amountMicros: firstCallMicros,
    referenceId: null,
    description: BONUS_DESCRIPTIONS.first_call,
  });
  return true;
}

async function judge(
  tx: Tx,
  { config, clock }: GrantDependencies,
  asked: { mailbox: string; origins: Origins; waitingSince: Date },
): Promise<FirstCallRefusal | "wait" | "give"> {
  if (config.promotions.firstCallMicros === 0n) return "off";
  if (await mailboxIsTaken(tx, asked.mailbox)) return "same_address";
  if (config.limitsScale === 0) return "give";
  if (isDisposableAddress(asked.mailbox)) return "disposable_address";
  const now = clock.now().getTime();
  // A customer without sessions has no known browser: wait for their next sign-in.
  if (asked.origins.browsers.length === 0)
    return now - asked.waitingSince.getTime() > firstCallRules.giveUpMs ? "no_browser" : "wait";
  const shared = await originWithFirstCall(tx, asked.origins, new Date(now - firstCallRules.networkWindowMs));
  return shared === null ? "give" : shared === "browser" ? "same_browser" : "same_network";
}
