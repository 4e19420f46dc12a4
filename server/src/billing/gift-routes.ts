import { firstNameOf } from "@farline/domain/business/passed-on-text.ts";
import { GUEST_GIFTS } from "@farline/domain/business/guest-gifts.ts";
import type { CreditRequestResponse, Gift, OpenedCreditRequest } from "@farline/contract/gifts/gifts.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { customerOf, perCustomer, perDoor, perLink, requireProof } from "../accounts/accounts.ts";
import { serve, requestKeyOf } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { linkUses } from "../mail/mail.ts";
import { sharedNetworkLimit } from "../platform/http/network-limit.ts";
import { preferredLanguage } from "../platform/http/say.ts";
import type { LimitName } from "../platform/http/limit-lanes.ts";
import { sharedRateLimit } from "../platform/http/rate-limit.ts";
import type { ServiceContext } from "../context.ts";
import { checkTopUpAmount } from "./checkout/top-up-amount.ts";
import { checkRobots } from "./limits/card-testing.ts";
import { readGoesBack } from "./credit-for-others/book-gift.ts";
import { askForCredit, endCreditRequest, linkOf, openCreditRequest } from "./credit-for-others/credit-request.ts";
import { readCreditRequests, readGifts, type CreditRequest, type NamedGift } from "./credit-for-others/gift.store.ts";
import { readPayment } from "./record/payment.store.ts";
import { confirmGuestPayment } from "./checkout/confirm-payment.ts";
import { orderGift, orderGuestGift } from "./checkout/order-gift.ts";

const MAX_GIFTS_SHOWN = 50;

/** Asking others for credit, and buying credit for others. */
export function giftRoutes(app: App, ctx: ServiceContext): void {
  const { db } = ctx.handle;
  const byLink = (name: LimitName) => perLink(ctx.config.secretKeys, sharedNetworkLimit(ctx, name), [linkUses.creditRequest]);

  serve(app, "GET /api/credit-requests", async (request) => {
    const requests = await readCreditRequests(db, customerOf(request).id, ctx.clock.now());
    return { requests: requests.map((one) => presentRequest(ctx, one)) };
  });

  serve(app, "POST /api/credit-requests", {
    onRequest: perCustomer(sharedRateLimit(ctx, "credit_request_make")),
    handler: async (request) => {
      const { amount, note, country, replaces } = request.body;
      const amountMicros = amount === null ? null : checkTopUpAmount(amount);
      return presentRequest(ctx, await askForCredit(ctx, customerOf(request), { amountMicros, note, country }, replaces));
    },
  });

  serve(app, "DELETE /api/credit-requests/:id", (request) => endCreditRequest(db, customerOf(request).id, request.params.id));

  serve(app, "POST /api/credit-requests/open", {
    preHandler: byLink("credit-request-open"),
    handler: async (request) => presentOpened(ctx, await openCreditRequest(ctx, request.body.token)),
  });

  serve(app, "POST /api/credit-requests/pay", {
    preHandler: byLink("credit-request-pay"),
    handler: async (request) => {
      const { token, amount, greeting, name, email, proof } = request.body;
      const language = request.body.language ?? preferredLanguage(request.headers["accept-language"]);
      const order = { token, amountMicros: checkTopUpAmount(amount), greeting, requestKey: requestKeyOf(request) };
      if (ctx.config.limitsScale > 0) await requireProof(ctx, "checkout", proof);
      const { checkout_url } = await orderGuestGift(ctx, { name, email, language }, order);
      return { checkout_url };
    },
  });

  serve(app, "POST /api/credit-requests/outcome", {
    onRequest: perDoor(ctx, sharedNetworkLimit(ctx, "guest-outcome")),
    handler: (request) => confirmGuestPayment(ctx, request.body.session_id),
  });

  serve(app, "GET /api/billing/gifts", async (request) => {
    const { id } = customerOf(request);
    const gifts = await readGifts(db, id, MAX_GIFTS_SHOWN);
    return { gifts: await Promise.all(gifts.map((one) => presentGift(ctx, one, id))) };
  });

  serve(app, "POST /api/billing/gifts", {
    onRequest: perCustomer(sharedRateLimit(ctx, "gift-order")),
    handler: async (request) => {
      const payer = customerOf(request);
      const { token, amount, greeting, proof } = request.body;
      const amountMicros = checkTopUpAmount(amount);
      await checkRobots(ctx, payer, proof);
      return orderGift(ctx, payer, { token, amountMicros, greeting, requestKey: requestKeyOf(request) });
    },
  });
}

function presentRequest(ctx: ServiceContext, request: CreditRequest): CreditRequestResponse {
  return {
    id: request.id,
    url: linkOf(ctx, request),
    created_at: request.created_at.toISOString(),
    expires_at: request.expires_at.toISOString(),
    amount: request.amount_micros === null ? null : toDecimalString(request.amount_micros),
    note: request.note,
    country: request.country_code,
  };
}

function presentOpened(
  { rates }: ServiceContext,
  { firstName, amountMicros, note, country }: Awaited<ReturnType<typeof openCreditRequest>>,
): OpenedCreditRequest {
  const ofCountry = rates.published()?.priceList.rates.filter((rate) => rate.country_code === country) ?? [];
  // Most calls are to mobiles.
  const usual = ofCountry.find((rate) => rate.number_type === "mobile") ?? ofCountry[0];
  return {
    name: firstName,
    amount: amountMicros === null ? null : toDecimalString(amountMicros),
    note,
    calls:
      usual === undefined
        ? null
        : { country: usual.country_code, country_name: usual.country_name, rate: usual.our_rate_per_minute },
    guest_most: toDecimalString(GUEST_GIFTS.mostMicros),
  };
}

async function presentGift(ctx: ServiceContext, gift: NamedGift, customerId: string): Promise<Gift> {
  const isSent = gift.payer_id === customerId;
  return {
    id: gift.id,
    direction: isSent ? "sent" : "received",
    name: firstNameOf(gift.other_name),
    amount: toDecimalString(gift.amount_micros),
    greeting: gift.greeting,
    state: gift.state,
    returned: toDecimalString(gift.returned_micros),
    goes_back: gift.state === "kept" && !isSent && (await goesBackWhole(ctx, gift)),
    created_at: gift.created_at.toISOString(),
    due_at: gift.due_at?.toISOString() ?? null,
  };
}

/** Of what a guest paid in vain. */
async function goesBackWhole({ handle: { db }, ledger }: ServiceContext, gift: NamedGift): Promise<boolean> {
  const payment = await readPayment(db, gift.payment_id);
  return payment !== undefined && (await readGoesBack(db, { ledger }, payment)) >= payment.charge_micros;
}
