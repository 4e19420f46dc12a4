import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import type { OperationName } from "@farline/contract/operator/operations.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";
import { uuidv7 } from "uuidv7";
import {
  closeFreezeReview,
  confirmAddress,
  findCustomer,
  findCustomerId,
  freezeCustomer,
  hasFreezeReview,
  isFrozenForPayment,
  lockStanding,
  sendVerification,
  signOutEverywhere,
  unfreezeCustomer,
} from "../accounts/accounts.ts";
import type { OperatorContext } from "../context.ts";
import { requireMailed } from "../mail/mail.ts";
import { AppError } from "../platform/app-error.ts";
import type { Transaction, Tx } from "../platform/database/database.ts";
import { lockMoneyOperations } from "./approval.store.ts";
import { MOVES_NOTHING } from "./operations.store.ts";
import type { Plan, Verb } from "./run-operation.ts";
import { concernsAboutCredit, type Outcome } from "./second-operator.ts";

/** What customers read beside the amount. */
const CORRECTION = "Correction";

/** Freezes an account, which stops calls and payments. The customer reads `because`; the reason is only recorded. False if it was frozen. */
const freeze = onAccount("freeze", (tx, customerId, { because, reason }, { clock }) =>
  freezeCustomer(tx, { customerId, because, reason, at: clock.now() }),
);

/** Signs a customer out on every device. */
const endSessions: Verb<"end-sessions", void> = {
  plan: accountPlan((tx, customerId, _input, { clock }) =>
    signOutEverywhere(tx, { customerId, exceptSession: null, exceptBrowser: null, from: null, at: clock.now() }),
  ),
  respond: () => undefined,
};

/** Confirms a customer's address. False if it was confirmed already. */
const confirmCustomerAddress = onAccount("confirm-address", (tx, customerId, _input, { clock }) =>
  confirmAddress(tx, { customerId, at: clock.now() }),
);

/** Mails the customer a new link to confirm their address. False if it was confirmed already. */
const resendVerification = onAccount("resend-verification", async (tx, customerId, _input, { clock }) => {
  const customer = await findCustomer(tx, customerId);
  if (customer === undefined || customer.emailVerified) return false;
  requireMailed(await sendVerification(tx, customer, { now: clock.now(), sessionId: null, asker: { by: "operator" } }));
  return true;
});

/** Unfreezes an account. False if it was not frozen. @throws AppError conflict if its review was to be decided and was already */
const unfreeze: Verb<"unfreeze", boolean> = {
  plan: planUnfreeze,
  respond: ({ proposal, result }) => ({ changed: result === true, proposal: proposal?.id ?? null }),
};

/**
 * Credit that was frozen because of a payment can be spent or withdrawn once the account is open: releasing more of it than an operator
 * may move alone takes a second one.
 */
async function planUnfreeze(
  tx: Transaction,
  ctx: OperatorContext,
  { customer, ofReview, reason }: OperationInput<"unfreeze">,
): Promise<Plan<"unfreeze", boolean>> {
  const customerId = await requireCustomerId(tx, customer);
  await lockMoneyOperations(tx);
  await lockStanding(tx, customerId);
  if (ofReview) await requireReview(tx, customerId);
  await ctx.ledger.lockAccounts(tx, [customerId]);
  const { availableMicros } = await ctx.ledger.balance(tx, customerId);
  const amountMicros = (await isFrozenForPayment(tx, customerId)) ? availableMicros : 0n;
  return {
    customerId,
    subject: null,
    moves: { amountMicros, customers: 1 },
    concerns: await concernsAboutCredit(tx, ctx, { customerId, amountMicros }),
    run: async () => ({ result: await unfreezeCustomer(tx, { customerId, reason, at: ctx.clock.now() }) }),
  };
}

/** Ends the review of an account that the service froze, which stays frozen. @throws AppError conflict if it was decided already */
const keepFrozen: Verb<"keep-frozen", void> = {
  plan: async (tx, _ctx, { customer }) => {
    const customerId = await requireCustomerId(tx, customer);
    await lockStanding(tx, customerId);
    await requireReview(tx, customerId);
    const run = async () => {
      await closeFreezeReview(tx, customerId);
      return { result: undefined };
    };
    return { customerId, subject: null, moves: MOVES_NOTHING, run };
  },
  respond: () => undefined,
};

/** @throws AppError conflict */
async function requireReview(tx: Tx, customerId: string): Promise<void> {
  if (await hasFreezeReview(tx, customerId)) return;
  throw new AppError("conflict", { reason: "operator.no_review", params: { customer: customerId } });
}

/** Writes off a customer's debt. The micro-dollars written off; zero if nothing is owed. */
const writeOff: Verb<"write-off", Micros> = {
  plan: async (tx, ctx, { customer }) => {
    const customerId = await requireCustomerId(tx, customer);
    const { debtMicros: amountMicros } = await ctx.ledger.balance(tx, customerId);
    if (amountMicros === 0n) return { idle: 0n };
    const key = `write-off:${customerId}:${ctx.clock.now().getTime()}`;
    const posting = {
      key,
      customerId,
      amountMicros,
      kind: "write_off",
      referenceId: null,
      description: "Debt written off",
    } as const;
    return {
      customerId,
      subject: null,
      moves: { amountMicros, customers: 1 },
      once: null,
      run: async () => {
        await ctx.ledger.credit(tx, posting);
        return { result: amountMicros };
      },
    };
  },
  respond: respondMoved,
};

/** Adds credit to correct a mistake. */
const adjust: Verb<"adjust", Micros> = {
  plan: (tx, ctx, input) =>
    planCorrection(tx, input, (posting) => ctx.ledger.credit(tx, { ...posting, kind: "adjustment", description: CORRECTION })),
  respond: respondMoved,
};

/** Takes credit to correct a mistake. Taken credit never becomes a debt. @throws AppError conflict if more would be taken than is free */
const deduct: Verb<"deduct", Micros> = {
  plan: (tx, ctx, input) => planCorrection(tx, input, (posting) => takeCredit(tx, ctx, posting)),
  respond: respondMoved,
};

interface Posting {
  readonly key: string;
  readonly customerId: string;
  readonly amountMicros: Micros;
  readonly referenceId: null;
}

/** @throws AppError not_found; validation_failed for no amount */
async function planCorrection(
  tx: Transaction,
  { customer, amount: amountMicros, key, again }: OperationInput<"deduct">,
  post: (posting: Posting) => Promise<unknown>,
): Promise<Plan<"adjust" | "deduct", Micros>> {
  if (amountMicros <= 0n) throw new AppError("validation_failed", { reason: "amount_needed" });
  const customerId = await requireCustomerId(tx, customer);
  return {
    customerId,
    subject: null,
    moves: { amountMicros, customers: 1 },
    once: { key, again },
    run: async (approval) => {
      // A proposal is carried out once, however often it is confirmed.
      await post({ key: `adjust:${approval?.id ?? uuidv7()}`, customerId, amountMicros, referenceId: null });
      return { result: amountMicros };
    },
  };
}

async function takeCredit(tx: Transaction, { ledger }: OperatorContext, posting: Posting): Promise<void> {
  await ledger.lockAccounts(tx, [posting.customerId]);
  const { availableMicros } = await ledger.balance(tx, posting.customerId);
  if (posting.amountMicros > availableMicros)
    throw new AppError("conflict", { reason: "operator.deduct_left", params: { left: formatDollars(availableMicros) } });
  await ledger.reverse(tx, { ...posting, kind: "adjustment", description: CORRECTION });
}

function respondMoved({ proposal }: Outcome<Micros>): { readonly proposal: string | null } {
  return { proposal: proposal?.id ?? null };
}

/** What one operator does to an account, without moving money. */
type Run<N extends OperationName, Result> = (
  tx: Transaction,
  customerId: string,
  input: OperationInput<N>,
  ctx: OperatorContext,
) => Promise<Result>;
type OnAccount = "freeze" | "end-sessions" | "confirm-address" | "resend-verification";

function accountPlan<N extends OnAccount, Result>(run: Run<N, Result>) {
  return async (tx: Transaction, ctx: OperatorContext, input: OperationInput<N> & { readonly customer: string }) => {
    const customerId = await requireCustomerId(tx, input.customer);
    const does = async () => ({ result: await run(tx, customerId, input, ctx) });
    // Reason shown to the customer when the account is frozen.
    const detail = "because" in input ? { because: input.because } : {};
    return { customerId, subject: null, moves: MOVES_NOTHING, detail, run: does };
  };
}

/** The same, with whether it changed anything. */
function onAccount<N extends Exclude<OnAccount, "end-sessions">>(_name: N, run: Run<N, boolean>) {
  return { plan: accountPlan(run), respond: ({ result }: Outcome<boolean>) => ({ changed: result === true }) };
}

/** @param customer id or mail address. @throws AppError not_found */
async function requireCustomerId(tx: Tx, customer: string): Promise<string> {
  const id = await findCustomerId(tx, customer);
  if (id === undefined) throw new AppError("not_found", { reason: "operator.no_customer", params: { customer } });
  return id;
}

/** What operators do for one customer. */
export const accountVerbs = {
  freeze,
  unfreeze,
  "keep-frozen": keepFrozen,
  "end-sessions": endSessions,
  "confirm-address": confirmCustomerAddress,
  "resend-verification": resendVerification,
  adjust,
  deduct,
  "write-off": writeOff,
};
