import { firstNameOf } from "@farline/domain/business/passed-on-text.ts";
import type { CreditRequestResponse, Gift } from "@farline/contract/gifts/gifts.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { DAY_SECONDS } from "@farline/domain/durations.ts";
import { customerOf, perCustomer } from "../accounts/accounts.ts";
import { AppError } from "../platform/app-error.ts";
import { serve, requestKeyOf } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { sharedRateLimit } from "../platform/http/rate-limit.ts";
import type { ServiceContext } from "../context.ts";
import { checkTopUpAmount } from "./checkout/top-up-amount.ts";
import { checkRobots } from "./limits/card-testing.ts";
import { askForCredit, linkOf, openCreditRequest } from "./credit-for-others/credit-request.ts";
import {
  deleteCreditRequest,
  readCreditRequests,
  readGifts,
  type CreditRequest,
  type NamedGift,
} from "./credit-for-others/gift.store.ts";
import { orderGift } from "./checkout/order-gift.ts";

const MAX_GIFTS_SHOWN = 50;
/** Links that one customer opens or makes. */
const OPENED = { name: "credit_request_open", points: 30, perSeconds: 3600 };
const MADE = { name: "credit_request_make", points: 20, perSeconds: DAY_SECONDS };

/** Asking others for credit, and buying credit for others. */
export function giftRoutes(app: App, ctx: ServiceContext): void {
  const { db } = ctx.handle;
  const scale = ctx.config.limitsScale;
  const opened = sharedRateLimit(ctx.handle, { ...OPENED, scale });
  const made = sharedRateLimit(ctx.handle, { ...MADE, scale });

  serve(app, "GET /api/credit-requests", async (request) => {
    const requests = await readCreditRequests(db, customerOf(request).id, ctx.clock.now());
    return { requests: requests.map((one) => presentRequest(ctx, one)) };
  });

  serve(app, "POST /api/credit-requests", {
    onRequest: perCustomer(made),
    handler: async (request) => presentRequest(ctx, await askForCredit(ctx, customerOf(request))),
  });

  serve(app, "DELETE /api/credit-requests/:id", async (request) => {
    const { id } = request.params;
    if (!isUuid(id) || !(await deleteCreditRequest(db, customerOf(request).id, id)))
      throw new AppError("not_found", { reason: "credit_request_unknown" });
  });

  serve(app, "POST /api/credit-requests/open", {
    onRequest: perCustomer(opened),
    handler: async (request) => ({ name: (await openCreditRequest(ctx, request.body.token)).firstName }),
  });

  serve(app, "GET /api/billing/gifts", async (request) => {
    const { id } = customerOf(request);
    return { gifts: (await readGifts(db, id, MAX_GIFTS_SHOWN)).map((one) => presentGift(one, id)) };
  });

  serve(app, "POST /api/billing/gifts", {
    onRequest: perCustomer(opened),
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
  };
}

function presentGift(gift: NamedGift, customerId: string): Gift {
  return {
    id: gift.id,
    direction: gift.payer_id === customerId ? "sent" : "received",
    name: firstNameOf(gift.other_name),
    amount: toDecimalString(gift.amount_micros),
    greeting: gift.greeting,
    state: gift.state,
    created_at: gift.created_at.toISOString(),
  };
}
