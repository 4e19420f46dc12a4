import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { failure, stripeWorld } from "../../../test/stripe-world.ts";

const world = stripeWorld();

async function disputed(number = "4000 0000 0000 0259"): Promise<{ payment_intent: string; dispute: Stripe.Dispute }> {
  const { intent: payment_intent } = await world.payNew(number);
  const { data } = await world.stripe.disputes.list({ payment_intent });
  return { payment_intent, dispute: data[0] as Stripe.Dispute };
}

describe("a dispute", () => {
  it("follows a payment with card 0259: the money is withdrawn and the charge cannot be refunded", async () => {
    const { payment_intent, dispute } = await disputed();
    expect(dispute).toMatchObject({ amount: 1000, status: "needs_response", reason: "fraudulent", is_charge_refundable: false });
    expect(dispute.balance_transactions).toMatchObject([{ amount: -1000, fee: 1500, net: -2500, type: "adjustment" }]);
    expect(await world.stripe.charges.retrieve(dispute.charge as string)).toMatchObject({ paid: true, disputed: true });
    expect(await failure(world.stripe.refunds.create({ payment_intent }))).toMatchObject({ code: "charge_disputed" });
    const [created] = await world.listener.waitFor("charge.dispute.created");
    expect(created?.event.data.object).toMatchObject({ id: dispute.id, payment_intent });
    await world.listener.waitFor("charge.dispute.funds_withdrawn");
    expect(await world.stripe.disputes.retrieve(dispute.id)).toMatchObject({ id: dispute.id });
  });

  it("is won by evidence, and the money is returned", async () => {
    const { dispute } = await disputed();
    const won = await world.stripe.disputes.update(dispute.id, {
      evidence: { uncategorized_text: "winning_evidence", customer_name: "Anna" },
    });
    expect(won).toMatchObject({ status: "won", evidence: { customer_name: "Anna" }, evidence_details: { submission_count: 1 } });
    const [back] = await world.listener.waitFor("charge.dispute.funds_reinstated");
    expect(back?.event.data.object["balance_transactions"]).toMatchObject([{ amount: -1000 }, { amount: 1000, fee: 0 }]);
    const [closed] = await world.listener.waitFor("charge.dispute.closed");
    expect(closed?.event.data.object).toMatchObject({ status: "won" });
    expect(await failure(world.stripe.disputes.close(dispute.id))).toMatchObject({ statusCode: 400 });
  });

  it("stays under review if the evidence decides nothing, and can be decided in the control panel", async () => {
    const { dispute } = await disputed();
    expect(await world.stripe.disputes.update(dispute.id, { evidence: { service_date: "today" }, submit: false })).toMatchObject({
      status: "needs_response",
    });
    expect(await world.stripe.disputes.update(dispute.id, { evidence: { service_date: "today" } })).toMatchObject({
      status: "under_review",
    });
    expect(await (await world.panel(`disputes/${dispute.id}/win`)).json()).toMatchObject({ status: "won" });
  });

  it("is lost if the shop closes it", async () => {
    const { dispute } = await disputed();
    expect(await world.stripe.disputes.close(dispute.id)).toMatchObject({ status: "lost" });
    const [closed] = await world.listener.waitFor("charge.dispute.closed");
    expect(closed?.event.data.object).toMatchObject({ status: "lost" });
    expect(world.listener.of("charge.dispute.funds_reinstated")).toHaveLength(0);
  });

  it("that is only an inquiry moves no money and leaves the charge refundable", async () => {
    const { payment_intent, dispute } = await disputed("4000 0000 0000 1976");
    expect(dispute).toMatchObject({ status: "warning_needs_response", balance_transactions: [] });
    await world.stripe.refunds.create({ payment_intent, amount: 100 });
    expect(await world.stripe.disputes.close(dispute.id)).toMatchObject({ status: "warning_closed" });
    expect(world.listener.of("charge.dispute.funds_withdrawn")).toHaveLength(0);
  });

  it("rejects unknown evidence fields", async () => {
    const { dispute } = await disputed();
    const update = world.stripe.disputes.update(dispute.id, {
      evidence: { made_up: "x" } as Stripe.DisputeUpdateParams.Evidence,
    });
    expect(await failure(update)).toMatchObject({ code: "parameter_unknown" });
  });
});

describe("an early fraud warning", () => {
  it("follows a payment with card 5423 and is no longer actionable after a refund", async () => {
    const { intent: payment_intent } = await world.payNew("4000 0000 0000 5423");
    const { data } = await world.stripe.radar.earlyFraudWarnings.list({ payment_intent });
    expect(data).toMatchObject([{ actionable: true, fraud_type: "made_with_stolen_card", payment_intent }]);
    const [told] = await world.listener.waitFor("radar.early_fraud_warning.created");
    expect(told?.event.data.object).toMatchObject({ id: data[0]?.id });
    await world.stripe.refunds.create({ payment_intent });
    await world.listener.waitFor("radar.early_fraud_warning.updated");
    expect(await world.stripe.radar.earlyFraudWarnings.retrieve(data[0]?.id ?? "")).toMatchObject({ actionable: false });
  });
});
