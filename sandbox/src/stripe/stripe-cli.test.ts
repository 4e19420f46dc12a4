import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { failure, SECRET_KEY, stripeWorld } from "../../test/stripe-world.ts";

const run = promisify(execFile);
const world = stripeWorld();
const platform = `cli-${process.platform}-${process.arch}`;
const program = fileURLToPath(new URL(`../../../node_modules/@stripe/${platform}/bin/stripe`, import.meta.url));

/** Runs Stripe's own command line against the stand-in. @throws if it fails */
async function stripeCli(...commands: string[]): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "stripe-cli-"));
  try {
    await run(program, [...commands, "--api-base", world.sandbox.url], {
      env: {
        HOME: home,
        XDG_CONFIG_HOME: home,
        STRIPE_API_KEY: SECRET_KEY,
        STRIPE_CLI_TELEMETRY_OPTOUT: "1",
        HTTPS_PROXY: "http://127.0.0.1:9", // blocks its update check: nothing may leave the machine
      },
      timeout: 25_000,
    });
  } finally {
    await rm(home, { recursive: true });
  }
}

/** The official command line exists for some platforms only; the test below makes similar requests everywhere. */
describe.skipIf(!existsSync(program))("Stripe's own command line", () => {
  it.each([
    "checkout.session.completed",
    "checkout.session.expired",
    "payment_intent.succeeded",
    "payment_intent.requires_action",
    "payment_intent.canceled",
    "charge.refunded",
    "charge.refund.updated",
    "charge.dispute.created",
    "charge.dispute.closed",
    "setup_intent.succeeded",
    "payment_method.attached",
    "payment_method.detached",
    "customer.deleted",
  ])("triggers %s", async (type) => {
    await stripeCli("trigger", type);
    expect(await world.listener.waitFor(type)).not.toEqual([]);
  });

  it.each(["payment_intent.payment_failed", "charge.failed", "setup_intent.setup_failed"])(
    "triggers %s, whose request is declined",
    async (type) => {
      await stripeCli("trigger", type);
      expect(await world.listener.waitFor(type)).not.toEqual([]);
    },
  );
});

describe("a Checkout session", () => {
  it("can be read and paid without a browser, through the two paths that Stripe's tools use", async () => {
    const session = await world.stripe.checkout.sessions.create(world.params());
    const request = (path: string, body?: Record<string, string>) =>
      fetch(`${world.sandbox.url}/v1/payment_pages/${session.id}${path}`, {
        headers: { authorization: `Bearer ${SECRET_KEY}` },
        ...(body && { method: "POST", body: new URLSearchParams(body) }),
      });
    expect(await (await request("")).json()).toMatchObject({ session_id: session.id, amount_total: 1000 });
    const { id: payment_method } = await world.stripe.paymentMethods.create({ type: "card", card: { token: "tok_visa" } });
    expect((await request("/confirm", { payment_method, expected_amount: "999" })).status).toBe(400);
    expect((await request("/confirm", { payment_method: "pm_card_chargeDeclined" })).status).toBe(402);
    expect((await request("/confirm", { payment_method, expected_amount: "1000" })).status).toBe(200);
    expect((await request("/confirm", { payment_method: "pm_card_visa" })).status).toBe(400);
    expect(await world.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: "paid" });
    expect(await failure(world.stripe.checkout.sessions.expire(session.id))).toMatchObject({ statusCode: 400 });
  });
});
