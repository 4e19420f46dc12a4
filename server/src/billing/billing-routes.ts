import type { CheckoutResponse, PackagesResponse } from "@farline/contract/billing.ts";
import type { FastifyRequest } from "fastify";
import type { RobotProof } from "@farline/contract/robot-check.ts";
import { MICROS_PER_DOLLAR, toDecimalString } from "@farline/domain/money.ts";
import { customerOf, perCustomer, requireStepUp, sessionOf } from "../accounts/accounts.ts";
import { readAllowance } from "../family/family.ts";
import { AppError } from "../platform/app-error.ts";
import { requestKeyOf, serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { memoryRateLimit } from "../platform/http/rate-limit.ts";
import { limitGuesses } from "../promotions/promotions.ts";
import { readAccountLines } from "./account-lines.ts";
import { confirmPayment } from "./checkout/confirm-payment.ts";
import { packageOnSale, packagesOnSale, type CreditPackageRow } from "./checkout/credit-package.store.ts";
import { checkRobots } from "./limits/card-testing.ts";
import { refreshOpenPayments } from "./checkout/poll-payments.ts";
import { endCheckout, startCheckout, type Order } from "./checkout/start-checkout.ts";
import { grantTestCredit } from "./checkout/test-credit.ts";
import { checkTopUpAmount } from "./checkout/top-up-amount.ts";
import type { ServiceContext } from "../context.ts";

/** Long enough for a customer who has signed in and called to top up during the call. */
const KEPT_CARD_PROOF_MS = 60 * 60 * 1000;

/** Each confirmation may query Stripe. A success page polls every one or two seconds for less than a minute. */

/** Routes for the balance and the account's history. */
export function accountRoutes(app: App, ctx: ServiceContext): void {
  const { handle, ledger } = ctx;

  serve(app, "GET /api/billing/balance", async (request) => {
    const customer = customerOf(request);
    await refreshOpenPayments(ctx, customer.id);
    const balance = await ledger.balance(handle.db, customer.id);
    const allowance = await readAllowance(ctx, customer);
    return {
      balance: toDecimalString(balance.balanceMicros),
      held: toDecimalString(balance.heldMicros),
      available: toDecimalString(balance.availableMicros),
      debt: toDecimalString(balance.debtMicros),
      bonus: toDecimalString(balance.bonusMicros),
      currency: "USD",
      family: allowance === null ? null : { owner_name: allowance.ownerName, left: toDecimalString(allowance.leftMicros) },
    };
  });

  serve(app, "GET /api/billing/transactions", async (request) => {
    const { id } = customerOf(request);
    return { transactions: await readAccountLines(ctx, id, request.query) };
  });
}

/** Routes for buying credit, and for test credit in sandbox mode. */
export function purchaseRoutes(app: App, ctx: ServiceContext): void {
  const { db } = ctx.handle;
  const confirms = memoryRateLimit(ctx, "confirm-payment");
  const guess = limitGuesses(ctx);
  const checkOut = async (request: FastifyRequest, order: Order, proof: RobotProof | undefined): Promise<CheckoutResponse> => {
    const payer = sessionOf(request);
    const requestKey = requestKeyOf(request);
    if (order.card !== null && order.card !== "keep" && requestKey === null)
      throw new AppError("malformed_request", { reason: "card_needs_key" });
    // The provider's page requires card details, but a saved card can be charged with the session alone.
    if (order.card !== null && order.card !== "keep") requireStepUp(request, ctx, KEPT_CARD_PROOF_MS);
    await checkRobots(ctx, payer, proof);
    const start = () => startCheckout(ctx, payer, { order, requestKey, session: payer });
    return order.promoCode === null ? start() : guess(payer.id, start);
  };

  serve(app, "GET /api/billing/packages", async () => {
    return { packages: (await packagesOnSale(db)).map(toPackage) };
  });

  serve(app, "POST /api/billing/top-up", async (request) => {
    const chargeMicros = checkTopUpAmount(request.body.amount);
    const promoCode = promoCodeIn(request.body);
    const card = cardIn(request.body);
    const order: Order = { kind: "custom", packageId: null, chargeMicros, bonusMicros: 0n, promoCode, card };
    return checkOut(request, order, request.body.proof);
  });

  serve(app, "POST /api/billing/purchase-package", async (request) => {
    const creditPackage = await packageOnSale(db, String(request.body.package_id));
    if (creditPackage === undefined) throw new AppError("not_found", { reason: "package_unknown" });
    const order: Order = {
      kind: "package",
      packageId: creditPackage.id,
      chargeMicros: creditPackage.amount_micros,
      bonusMicros: bonusOf(creditPackage),
      promoCode: promoCodeIn(request.body),
      card: cardIn(request.body),
    };
    return checkOut(request, order, request.body.proof);
  });

  serve(app, "POST /api/billing/confirm", {
    onRequest: perCustomer(confirms),
    handler: async (request) => {
      const { id } = customerOf(request);
      return confirmPayment(ctx, id, request.body);
    },
  });

  serve(app, "POST /api/billing/payments/:id/end", {
    onRequest: perCustomer(confirms),
    handler: (request) => endCheckout(ctx, customerOf(request).id, request.params.id),
  });

  serve(app, "POST /api/billing/test-credit", async (request) => {
    const { id } = customerOf(request);
    const balanceMicros = await grantTestCredit(ctx, id, request.body.amount);
    return { new_balance: toDecimalString(balanceMicros) };
  });
}

/** An empty promo code means none. */
function promoCodeIn({ promo_code: typed = "" }: { promo_code?: string | undefined }): string | null {
  return typed.trim() === "" ? null : typed;
}

function cardIn({ keep_card: keep = false, card_id: id }: { keep_card?: boolean | undefined; card_id?: string | undefined }) {
  if (id !== undefined) return { id };
  return keep ? "keep" : null;
}

function bonusOf(creditPackage: CreditPackageRow): bigint {
  return (creditPackage.amount_micros * BigInt(creditPackage.bonus_percentage)) / 100n;
}

function toPackage(row: CreditPackageRow): PackagesResponse["packages"][number] {
  return {
    id: row.id,
    amount: toNumber(row.amount_micros),
    total_credits: toNumber(row.amount_micros + bonusOf(row)),
    is_popular: row.is_popular,
    bonus_percentage: row.bonus_percentage,
  };
}

/** The specification returns packages as numbers. */
function toNumber(micros: bigint): number {
  // oxlint-disable-next-line farline/no-float-money -- display only
  return Number(micros) / Number(MICROS_PER_DOLLAR);
}
