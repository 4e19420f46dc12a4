import {
  confirmRequest,
  purchasePackageRequest,
  testCreditRequest,
  topUpRequest,
  transactionsQuery,
  type BalanceResponse,
  type CheckoutResponse,
  type ConfirmResponse,
  type PackagesResponse,
  type Transaction,
  type TransactionsResponse,
} from "@farline/contract/billing.ts";
import { MICROS_PER_DOLLAR, toDecimalString } from "@farline/domain/money.ts";
import type { LedgerLine } from "../ledger/ledger.ts";
import { AppError } from "../platform/app-error.ts";
import type { App } from "../platform/http.ts";
import { limitGuesses } from "../promotions/promotions.ts";
import type { BillingParts, Payer } from "./billing-parts.ts";
import { confirmPayment } from "./confirm-payment.ts";
import { packageOnSale, packagesOnSale, type CreditPackageRow } from "./credit-package.store.ts";
import { receiptsOfPayments } from "./documents/receipt.store.ts";
import { grantTestCredit } from "./grant-test-credit.ts";
import { limitConfirms } from "./limit-confirms.ts";
import { refreshOpenPayments } from "./poll-payments.ts";
import { requestKeyOf } from "./request-key.ts";
import { startCheckout, type Order } from "./start-checkout.ts";
import { parseTopUpAmount } from "./top-up-amount.ts";

/** Balance and lines of the account. */
export function accountRoutes(app: App, parts: BillingParts): void {
  const { handle, ledger } = parts;

  app.get("/api/billing/balance", async (request): Promise<BalanceResponse> => {
    const { id } = await parts.authenticate(request);
    await refreshOpenPayments(parts, id);
    const balance = await ledger.balance(handle.pool, id);
    return {
      balance: toDecimalString(balance.balanceMicros),
      held: toDecimalString(balance.heldMicros),
      available: toDecimalString(balance.availableMicros),
      debt: toDecimalString(balance.debtMicros),
      bonus: toDecimalString(balance.bonusMicros),
      currency: "USD",
    };
  });

  const listSchema = { querystring: transactionsQuery };
  app.get("/api/billing/transactions", { schema: listSchema }, async (request): Promise<TransactionsResponse> => {
    const { id } = await parts.authenticate(request);
    const page = await ledger.transactions(handle.pool, id, request.query);
    const payments = page.rows.map(paymentOf).filter((payment) => payment !== null);
    const receipts = await receiptsOfPayments(handle.db, id, payments);
    const data = page.rows.map((line) => toTransaction(line, receipts));
    return { transactions: { data, next_cursor: page.nextCursor, total: page.total } };
  });
}

/** Buying credit, and test credit in sandbox mode. */
export function purchaseRoutes(app: App, parts: BillingParts): void {
  const { db } = parts.handle;
  const limitConfirm = limitConfirms(parts.config.limitsScale);
  const guess = limitGuesses(parts.handle, parts.config.limitsScale);
  const checkOut = (payer: Payer, order: Order, requestKey: string | null): Promise<CheckoutResponse> => {
    const start = () => startCheckout(parts, payer, { order, requestKey });
    return order.promoCode === null ? start() : guess(payer.id, start);
  };

  app.get("/api/billing/packages", async (request): Promise<PackagesResponse> => {
    await parts.authenticate(request);
    return { packages: (await packagesOnSale(db)).map(toPackage) };
  });

  app.post("/api/billing/top-up", { schema: { body: topUpRequest } }, async (request): Promise<CheckoutResponse> => {
    const payer = await parts.authenticate(request);
    const chargeMicros = parseTopUpAmount(request.body.amount);
    const promoCode = promoCodeIn(request.body);
    const order: Order = { kind: "custom", packageId: null, chargeMicros, bonusMicros: 0n, promoCode };
    return checkOut(payer, order, requestKeyOf(request));
  });

  app.post(
    "/api/billing/purchase-package",
    { schema: { body: purchasePackageRequest } },
    async (request): Promise<CheckoutResponse> => {
      const payer = await parts.authenticate(request);
      const wanted = await packageOnSale(db, String(request.body.package_id));
      if (wanted === undefined) throw new AppError("not_found", "This package is not on sale.");
      const order: Order = {
        kind: "package",
        packageId: wanted.id,
        chargeMicros: wanted.amount_micros,
        bonusMicros: bonusOf(wanted),
        promoCode: promoCodeIn(request.body),
      };
      return checkOut(payer, order, requestKeyOf(request));
    },
  );

  app.post("/api/billing/confirm", { schema: { body: confirmRequest } }, async (request): Promise<ConfirmResponse> => {
    const { id } = await parts.authenticate(request);
    await limitConfirm(id);
    return confirmPayment(parts, id, request.body.session_id);
  });

  app.post("/api/billing/test-credit", { schema: { body: testCreditRequest } }, async (request) => {
    const { id } = await parts.authenticate(request);
    const balanceMicros = await grantTestCredit(parts, id, request.body.amount);
    return { new_balance: toDecimalString(balanceMicros) };
  });
}

/** The payment that brought the credit of a line; null for other lines. */
function paymentOf({ kind, referenceId }: LedgerLine): string | null {
  return kind === "top_up" ? referenceId : null;
}

/** A code is optional: an empty field is none. */
function promoCodeIn({ promo_code: typed = "" }: { promo_code?: string | undefined }): string | null {
  return typed.trim() === "" ? null : typed;
}

function toTransaction(line: LedgerLine, receipts: ReadonlyMap<string, string>): Transaction {
  const credit = line.amountMicros > 0n;
  return {
    id: line.id,
    type: credit ? "credit" : "debit",
    kind: line.kind,
    description: line.description,
    amount: toDecimalString(credit ? line.amountMicros : -line.amountMicros),
    balance_after: toDecimalString(line.balanceAfterMicros),
    status: "completed",
    reference_id: line.referenceId,
    receipt_id: receipts.get(paymentOf(line) ?? "") ?? null,
    created_at: line.createdAt.toISOString(),
  };
}

function bonusOf(wanted: CreditPackageRow): bigint {
  return (wanted.amount_micros * BigInt(wanted.bonus_percentage)) / 100n;
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

/** For display: the specification shows packages as numbers. */
function toNumber(micros: bigint): number {
  return Number(micros) / Number(MICROS_PER_DOLLAR);
}
