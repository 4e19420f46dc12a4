import type Stripe from "stripe";
import { intentOf, isMissing, missingPermission } from "../billing/billing.ts";
import type { Context } from "../context.ts";

/** An operator waits for the answer. */
const ASK_WITHIN_MS = 5_000;
const ASK_ONCE: Stripe.RequestOptions = { timeout: ASK_WITHIN_MS, maxNetworkRetries: 0 };

type Linked = string | { readonly id: string } | null | undefined;

/** What an id of the provider names, and how it leads to ids that are stored here. */
interface IdKind {
  readonly what: string;
  /** Asks the provider for the ids behind it; absent for what is stored here or belongs to no customer. */
  readonly ask?: (stripe: Stripe, id: string) => Promise<readonly Linked[]>;
  /** Where an operator finds what belongs to no customer. */
  readonly where?: string;
}

/** By prefix (docs.stripe.com/api, the `id` of each object's example). */
const ID_KINDS: ReadonlyMap<string, IdKind> = new Map<string, IdKind>([
  ["pi", { what: "payment" }],
  ["cs", { what: "checkout" }],
  ["cus", { what: "customer" }],
  ["pm", { what: "card" }],
  [
    "issfr",
    {
      what: "fraud warning",
      ask: async ({ radar }, id) => [(await radar.earlyFraudWarnings.retrieve(id, {}, ASK_ONCE)).payment_intent],
    },
  ],
  ["ch", { what: "charge", ask: async ({ charges }, id) => [(await charges.retrieve(id, {}, ASK_ONCE)).payment_intent] }],
  ["py", { what: "charge", ask: async ({ charges }, id) => [(await charges.retrieve(id, {}, ASK_ONCE)).payment_intent] }],
  ["re", { what: "refund", ask: askRefund }],
  ["pyr", { what: "refund", ask: askRefund }],
  ["dp", { what: "dispute", ask: askDispute }],
  ["du", { what: "dispute", ask: askDispute }],
  ["seti", { what: "saving of a card", ask: askSetup }],
  ["txn", { what: "movement of the balance", ask: askMovement, where: "the month's report of the payment provider" }],
  ["evt", { what: "event", ask: askEvent }],
  ["po", { what: "payout", where: "the month's report of the payment provider" }],
]);

async function askRefund({ refunds }: Stripe, id: string): Promise<readonly Linked[]> {
  return [(await refunds.retrieve(id, {}, ASK_ONCE)).payment_intent];
}

async function askDispute({ disputes }: Stripe, id: string): Promise<readonly Linked[]> {
  return [(await disputes.retrieve(id, {}, ASK_ONCE)).payment_intent];
}

async function askSetup({ setupIntents }: Stripe, id: string): Promise<readonly Linked[]> {
  const { customer, payment_method } = await setupIntents.retrieve(id, {}, ASK_ONCE);
  return [payment_method, customer];
}

async function askMovement({ balanceTransactions }: Stripe, id: string): Promise<readonly Linked[]> {
  return [intentOf(await balanceTransactions.retrieve(id, { expand: ["source"] }, ASK_ONCE))];
}

/** What the event is about, which may be anything. */
async function askEvent({ events }: Stripe, id: string): Promise<readonly Linked[]> {
  const { data } = await events.retrieve(id, {}, ASK_ONCE);
  const about = data.object as { id?: string; payment_intent?: Linked; customer?: Linked };
  return [about.id, about.payment_intent, about.customer];
}

function kindOfId(text: string): IdKind | undefined {
  const prefix = /^([a-z]+)_\w+$/.exec(text)?.[1];
  return prefix === undefined ? undefined : ID_KINDS.get(prefix);
}

/** Whether a text has the form of an id of the payment provider. */
export function isProviderId(text: string): boolean {
  return kindOfId(text) !== undefined;
}

/** The ids behind an id that is not stored here, and a sentence for an operator who finds nothing by them. */
interface ResolvedId {
  readonly ids: readonly string[];
  readonly note: string;
}

/** Asks the provider once for what an id leads to. Never throws: what went wrong is in the note. Call it outside of transactions. */
export async function resolveProviderId({ stripe, log }: Pick<Context, "stripe" | "log">, id: string): Promise<ResolvedId> {
  const kind = kindOfId(id);
  if (kind === undefined) throw new Error(`${id} is no id of the payment provider.`);
  const { what, ask, where } = kind;
  const elsewhere =
    where === undefined
      ? `This ${what} belongs to no payment here: perhaps to other business of the same account.`
      : `This ${what} belongs to no customer. See ${where}.`;
  if (ask === undefined) return { ids: [], note: where === undefined ? `No ${what} with this id is known here.` : elsewhere };
  try {
    const linked = await ask(stripe, id);
    return { ids: linked.flatMap((one) => (typeof one === "string" ? one : (one?.id ?? []))), note: elsewhere };
  } catch (error) {
    log.warn({ err: error, provider_id: id }, "the payment provider could not be asked for an id");
    return { ids: [], note: whyNot(error, what) };
  }
}

function whyNot(error: unknown, what: string): string {
  const missing = missingPermission(error, `to read this ${what}`);
  if (missing !== null) return `The service's key of the payment provider may not read this ${what}. It lacks ${missing}.`;
  return isMissing(error)
    ? `The payment provider knows no ${what} with this id.`
    : "The payment provider did not answer, so only what is stored here was searched.";
}
