import { DAY_MS } from "@farline/domain/durations.ts";
import { Stripe } from "stripe";
import { uuidv7 } from "uuidv7";
import { lockSession, requireOpen, type SessionWithCustomer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { lockPaymentsOf, type Payer } from "../record/payment.store.ts";
import { isAddressRefused, isMissing, recordRefusal } from "../record/provider-refusals.ts";
import { CARD_SETUPS_PER_DAY, MAX_CARDS } from "./auto-top-up-rules.ts";
import { attachSetupSession, insertCardSetup, setupTimes } from "./card-setup.store.ts";
import { tooManyCards } from "./choose-card.ts";
import { cardsOf, providerCustomerOf, storeProviderCustomer } from "./saved-card.store.ts";
import type { Context } from "../../context.ts";

/** Stripe accepts 30 minutes to 24 hours; the rest allows for the request and for a clock that is slow. */
const SETUP_OPEN_MS = 35 * 60 * 1000;
/** The provider's event normally arrives within seconds. */
const FIRST_CHECK_MS = 2 * 60 * 1000;

/**
 * Opens the provider's page for saving a card, on which the bank may require authentication. `convergeCardSetup` stores the card.
 * @returns the page's URL
 * @throws AppError account_frozen; conflict at the card limit; rate_limited; payment_provider_down
 */
export async function startCardSetup(ctx: Context, payer: SessionWithCustomer): Promise<string> {
  requireOpen(payer);
  const setup = await ctx.transaction((tx) => reserveSetup(tx, ctx, payer));
  try {
    const customer = await providerCustomer(ctx, payer);
    const session = await ctx.stripe.checkout.sessions.create(sessionParams(ctx, { setup, customer, customerId: payer.id }), {
      idempotencyKey: `card:${setup.id}`,
    });
    if (session.url === null) throw new AppError("payment_provider_down", { reason: "card_page_failed" });
    await attachSetupSession(ctx.handle.db, setup.id, session.id);
    return session.url;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    ctx.log.error({ err: error, card_setup_id: setup.id }, "card setup page not opened");
    recordRefusal(ctx, error);
    throw new AppError("payment_provider_down", { reason: "card_page_failed", cause: error });
  }
}

interface NewSetup {
  readonly id: string;
  readonly expiresAt: Date;
}

async function reserveSetup(tx: Transaction, ctx: Context, payer: SessionWithCustomer): Promise<NewSetup> {
  const customerId = payer.id;
  await lockPaymentsOf(tx, customerId);
  await lockSession(tx, payer);
  const now = ctx.clock.now();
  if ((await cardsOf(tx, customerId)).length >= MAX_CARDS) throw tooManyCards();
  const { limitsScale } = ctx.config;
  const times = await setupTimes(tx, customerId, new Date(now.getTime() - DAY_MS));
  const oldest = limitsScale === 0 ? undefined : times[Math.ceil(CARD_SETUPS_PER_DAY * limitsScale) - 1];
  if (oldest !== undefined)
    throw new AppError("rate_limited", {
      reason: "cards_tried",
      retryAfterSeconds: Math.max(1, Math.ceil((oldest.getTime() + DAY_MS - now.getTime()) / 1000)),
    });
  const setup = { id: uuidv7(), expiresAt: new Date(now.getTime() + SETUP_OPEN_MS) };
  await insertCardSetup(tx, {
    id: setup.id,
    customer_id: customerId,
    created_at: now,
    expires_at: setup.expiresAt,
    next_check_at: new Date(now.getTime() + FIRST_CHECK_MS),
  });
  return setup;
}

/**
 * The customer's id at the provider, with their present address, which the provider's pages show. Created on first use, and again if
 * somebody deleted it there.
 */
export async function providerCustomer(ctx: Context, payer: Pick<Payer, "id" | "email">): Promise<string> {
  const { stripe, config, handle, clock } = ctx;
  const known = await providerCustomerOf(handle.db, payer.id);
  if (known !== undefined && (await sendAddress(ctx, known, payer.email))) return known;
  // The address is sent separately, because it may change between attempts and an idempotency key requires identical content.
  const made = await stripe.customers.create(
    { metadata: { site: config.publicUrl, customer_id: payer.id } },
    { idempotencyKey: ["customer", payer.id, ...(known === undefined ? [] : [known])].join(":") },
  );
  await sendAddress(ctx, made.id, payer.email);
  return storeProviderCustomer(handle.db, {
    customerId: payer.id,
    providerCustomerId: made.id,
    replaces: known,
    now: clock.now(),
  });
}

/** An address that the provider refuses is left out. @returns false if somebody deleted the customer at the provider */
async function sendAddress({ stripe }: Context, providerCustomerId: string, email: string): Promise<boolean> {
  try {
    await stripe.customers.update(providerCustomerId, { email });
    return true;
  } catch (error) {
    if (isAddressRefused(error)) return true;
    if (isMissing(error)) return false;
    throw error;
  }
}

function sessionParams(
  { config }: Context,
  { setup, customer, customerId }: { setup: NewSetup; customer: string; customerId: string },
): Stripe.Checkout.SessionCreateParams {
  const metadata = { site: config.publicUrl, card_setup_id: setup.id, customer_id: customerId, purpose: "card" };
  return {
    mode: "setup",
    currency: "usd",
    allowed_payment_method_types: ["card"],
    customer,
    client_reference_id: setup.id,
    metadata,
    setup_intent_data: { metadata },
    expires_at: Math.floor(setup.expiresAt.getTime() / 1000),
    success_url: `${config.publicUrl}/billing?card=saved`,
    cancel_url: `${config.publicUrl}/billing?card=cancelled`,
  };
}
