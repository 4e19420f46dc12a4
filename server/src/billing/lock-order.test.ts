import { sql } from "kysely";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { BillingClient } from "../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { promotionJobs } from "../promotions/promotions.ts";
import { testConfig } from "../../test/test-context.ts";

let world: BillingWorld;
beforeEach(async () => {
  world = await BillingWorld.start();
});
afterEach(() => world.close());

const ROUNDS = 25;
const AT_ONCE = 8;

/** An invited customer who awaits a first-call bonus and has paid; the payment is not booked yet. */
async function payer(inviter: BillingClient): Promise<{ caller: BillingClient; sessionId: string; intentId: string }> {
  const caller = await world.service.signUp();
  const { db } = world.database.handle;
  await sql`insert into referral (invited_id, inviter_id, created_at) values (${caller.id}, ${inviter.id}, now())`.execute(db);
  await sql`insert into first_call (customer_id, next_look_at, created_at) values (${caller.id}, ${new Date(0)}, ${new Date(0)}) on conflict do nothing`.execute(
    db,
  );
  const { body } = await caller.post("top-up", { amount: 20 });
  world.stripe.pay(body.session_id);
  return { caller, sessionId: body.session_id, intentId: world.stripe.session(body.session_id).intent.id };
}

test(`in ${ROUNDS} rounds of parallel payments, first calls, invitations, disputes and withdrawals nothing deadlocks`, async () => {
  const failures: string[] = [];
  const stream = { write: (line: string) => void failures.push(line) };
  const ctx = {
    ...world.service.ctx,
    log: pino({ level: "error" }, stream),
    config: testConfig({ promotions: { firstCallMicros: 250_000n, referralMicros: 2_000_000n, freeCreditPerDayMicros: 0n } }),
  };
  const { db } = world.database.handle;
  const promote = async () => {
    for (const job of promotionJobs(ctx)) await job.run(new AbortController().signal);
  };
  for (let round = 0; round < ROUNDS; round++) {
    const inviter = await world.service.signUp();
    const payers = await Promise.all(Array.from({ length: AT_ONCE }, () => payer(inviter)));
    const prove = ({ caller }: { caller: BillingClient }) =>
      sql`update customer set email_verified = true where id = any (${[caller.id, inviter.id].toSorted()})`.execute(db);
    const credit = ({ sessionId }: { sessionId: string }) => world.hear("checkout.session.completed", { id: sessionId });
    await Promise.all([promote(), promote(), ...payers.flatMap((one) => [credit(one), prove(one), credit(one)])]);
    const goBack = async ({ caller, sessionId, intentId }: Awaited<ReturnType<typeof payer>>, index: number) => {
      if (index % 2 === 0) return caller.post("withdrawals", { amount: 15 });
      const dispute = world.stripe.dispute(sessionId, "needs_response");
      return world.hear("charge.dispute.created", { id: dispute.id, payment_intent: intentId });
    };
    await Promise.all([promote(), ...payers.map(goBack), promote(), ...payers.map(prove)]);
  }
  expect(failures).toEqual([]);
});
