import { sql } from "kysely";
import { ledger } from "../../src/ledger/ledger.ts";
import { cancelErasure, requestErasure } from "../../src/personal-data/erasure/request-erasure.ts";
import { AppError } from "../../src/platform/app-error.ts";
import {
  ASKS_ALWAYS,
  ASKS_ONCE,
  choice,
  NO_MONEY,
  PAYS,
  SAVES_THEN_FAILS,
  type AutoTopUpWorld,
} from "../worlds/auto-top-up-world.ts";
import type { BillingClient } from "../worlds/billing-service.ts";
import { Random } from "./random.ts";

const MOVES = 30;
const MAX_HELD_MICROS = 3_000_000n;
/** Above the threshold of the automatic top-up, even beside debt. */
const ENOUGH_DOLLARS = 50;
/** Longer than a charge is retried and its owner can confirm it. */
const LATER_MS = 11 * 60_000;
/** Longer than a lost response takes to be looked for. */
const SOON_MS = 31_000;
/** Longer than a checkout stays open and is checked. */
const OVER_MS = 60 * 60_000;
const SAVED = [PAYS, PAYS, PAYS, ASKS_ONCE, ASKS_ALWAYS, SAVES_THEN_FAILS];
const TYPED = [PAYS, ASKS_ONCE, ASKS_ALWAYS, NO_MONEY];

const PAYING = ["pays with a kept card", "pays from two tabs", "pays in a call", "pays by the form", "switches on", "is watched"];
const REOPENING = ["is unlocked", "keeps the account"];

interface PaymentNow {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  /** Paid with a card that was saved before. The provider closes the others' pages by its own clock. */
  readonly kept: boolean;
  /** What the ledger credited, in cents. */
  readonly booked: bigint;
}

interface Seen {
  readonly isOpen: boolean;
  /** Whether the automatic top-up may charge. */
  readonly wantsCharges: boolean;
  readonly taken: ReadonlyMap<string, number>;
  readonly payments: readonly PaymentNow[];
}

/**
 * One customer pays for calls in every way that a card can: by the form, with a kept card, by the automatic top-up; from two tabs, with a
 * bank that asks and is answered late, wrongly or never; responses and events are lost. Meanwhile a call holds credit, cards are removed,
 * automatic top-ups are switched off and on, money is withdrawn, refunded or disputed, the account is locked or closed. The payment
 * provider is the sandbox, so that the game knows what each card really paid.
 */
export class ChargeGame {
  readonly #world: AutoTopUpWorld;
  readonly #random: Random;
  #caller: BillingClient | undefined;
  readonly #banks: string[] = [];
  readonly #holds: string[] = [];
  /** The names of the next moves. Each game begins with one that needs several in a row. */
  readonly #planned: string[] = ["is watched while the provider is down"];
  /** When the game began, in seconds. */
  readonly #since = Math.floor(Date.now() / 1000);

  constructor(world: AutoTopUpWorld, seed: number) {
    this.#world = world;
    this.#random = new Random(seed);
  }

  /** @returns the broken rule, or null */
  async play(): Promise<string | null> {
    // The provider has a clock of its own, which refuses pages that would close too soon.
    const { clock } = this.#world.service;
    clock.advance(Date.now() - clock.now().getTime());
    this.#caller = await this.#world.service.signUp();
    await this.#world.save(this.#client, PAYS);
    for (let move = 0; move < MOVES; move++) {
      const before = await this.#look();
      const name = await this.#move();
      const broken = this.#judge(before, await this.#look(), name) ?? (await this.#isTold());
      if (broken !== null) return `${broken} (after ${name})`;
    }
    return this.#end();
  }

  get #client(): BillingClient {
    if (this.#caller === undefined) throw new Error("Nobody plays.");
    return this.#caller;
  }

  /** @returns the name of the move */
  async #move(): Promise<string> {
    const isOpen = (await this.#look()).isOpen;
    const open: Record<string, () => Promise<unknown>> = {
      "pays with a kept card": () => this.#payKept(),
      "pays from two tabs": () => Promise.all([this.#payKept(), this.#payKept()]),
      "pays in a call": () => this.#payInCall(),
      "pays by the form": () => this.#payByForm(),
      "saves a card": () => this.#saveCard(),
      "switches on": () => this.#switchOn(),
      "switches on once more": () => this.#switchOn(),
      withdraws: () => this.#client.post("withdrawals", { amount: this.#random.pick([1, 5]) }),
      calls: () => this.#hold(),
      "is watched while the provider is down": () => this.#watchInVain(),
    };
    const always: Record<string, () => Promise<unknown>> = {
      "switches off": () => this.#client.send("PUT", "auto-top-up", { on: false }),
      "removes a card": () => this.#removeCard(),
      "is watched": () => this.#world.service.runJob("watch-credit"),
      "hangs up": () => this.#hangUp(),
      "is polled soon": () => this.#later(SOON_MS),
      "is polled later": () => this.#later(LATER_MS),
      "closes the account": () => this.#close(),
      "keeps the account": () => this.#keep(),
    };
    const byOthers: Record<string, () => Promise<unknown>> = {
      "answers the bank": () => this.#answerBank(),
      "is refunded": () => this.#atProvider("refund"),
      disputes: () => this.#atProvider("dispute"),
      "is unlocked": () => this.#setStatus("active"),
      "is locked": () => this.#setStatus("frozen"),
    };
    const moves = new Map(Object.entries({ ...(isOpen ? open : {}), ...always, ...byOthers }));
    // Otherwise nobody pays for most of a game.
    const likely = isOpen ? PAYING : REOPENING;
    const name = this.#planned.shift() ?? this.#random.pick(this.#random.chance(0.4) ? likely : [...moves.keys()]);
    const move = moves.get(name) ?? (() => Promise.resolve());
    const faults =
      name in byOthers ? [{ lose: true }] : [{ lose: true }, { dropAnswers: 100, lose: true }, { serverErrors: 100 }];
    const chaos = this.#random.chance(0.2) ? this.#random.pick(faults) : {};
    await this.#world.chaos(chaos);
    await refusable(move);
    await this.#world.chaos({ lose: false, dropAnswers: 0, serverErrors: 0 });
    return `${name} ${JSON.stringify(chaos)}`;
  }

  /**
   * Then the owner changes their mind before the charge is tried again. The credit falls only after the switch, because a switch with
   * low credit charges at once, and nothing waits.
   */
  async #watchInVain(): Promise<void> {
    await this.#world.give(this.#client, ENOUGH_DOLLARS);
    await this.#switchOn();
    const { availableMicros } = await ledger.balance(this.#world.database.handle.db, this.#client.id);
    if (availableMicros > 0n) await this.#world.spend(this.#client, Number(availableMicros) / 1e6);
    await this.#world.chaos({ serverErrors: 100 });
    await this.#world.service.runJob("watch-credit");
    this.#planned.push(
      this.#random.pick(["switches off", "removes a card", "is locked", "closes the account"]),
      "is polled soon",
    );
  }

  /** With a new key, or twice at once with one key. */
  async #payKept(): Promise<void> {
    const { cards = [] } = (await this.#client.get("auto-top-up")).body;
    if (cards.length === 0) return this.#saveCard();
    const card = this.#random.pick<{ id: string }>(cards);
    const key = { "idempotency-key": crypto.randomUUID() };
    const pay = () => this.#client.post("top-up", { amount: 10, card_id: card.id }, key);
    const answers = this.#random.chance(0.3) ? await Promise.all([pay(), pay()]) : [await pay()];
    for (const { body } of answers) if (String(body.checkout_url).includes("/challenge/")) this.#banks.push(body.checkout_url);
  }

  /** Only the provider's event tells of the payment: before the call ends, after it, or both at once and once more. */
  async #payInCall(): Promise<void> {
    await this.#hold();
    await this.#world.chaos({ dropAnswers: 100, lose: true, serverErrors: 0 });
    await this.#payKept();
    await this.#world.chaos({ dropAnswers: 0, lose: true });
    const order = this.#random.pick(["before", "after", "around"]);
    if (order === "before") await this.#hearPaid();
    // A call's hold grows with the credit that has come.
    await this.#hold();
    await Promise.all([this.#hangUp(), ...(order === "around" ? [this.#hearPaid()] : [])]);
    if (order !== "before") await this.#hearPaid();
  }

  /** The provider's newest event of a paid charge arrives, perhaps again. */
  async #hearPaid(): Promise<void> {
    const { stripe, config } = this.#world.service.ctx;
    const [event] = (await stripe.events.list({ type: "payment_intent.succeeded", limit: 1 })).data;
    const payload = JSON.stringify(event);
    const secret = config.stripe.webhookSecrets.at(-1) ?? "";
    const signature = stripe.webhooks.generateTestHeaderString({ payload, secret });
    const headers = { "content-type": "application/json", "stripe-signature": signature };
    if (event !== undefined) await this.#world.service.webhook({ payload, headers });
  }

  async #payByForm(): Promise<void> {
    const { status, body } = await this.#client.post("top-up", { amount: 10, keep_card: this.#random.chance(0.3) });
    if (status !== 200 || this.#random.chance(0.2)) return;
    const form = new URLSearchParams({ number: this.#random.pick(TYPED), expiry: "12 / 34", cvc: "123", name: "Ada Caller" });
    const next = await fetch(body.checkout_url, { method: "POST", body: form, redirect: "manual" });
    const location = next.headers.get("location") ?? "";
    if (location.includes("/challenge/")) this.#banks.push(location);
  }

  async #saveCard(): Promise<void> {
    const { status, body } = await this.#client.post("cards", {});
    if (status === 200) await this.#world.enterCard(body.checkout_url, this.#random.pick(SAVED));
  }

  async #switchOn(): Promise<void> {
    const [card] = (await this.#client.get("auto-top-up")).body.cards ?? [];
    if (card !== undefined) await this.#client.send("PUT", "auto-top-up", choice(card.id));
  }

  async #removeCard(): Promise<void> {
    const { cards = [] } = (await this.#client.get("auto-top-up")).body;
    if (cards.length > 0) await this.#client.send("DELETE", `cards/${this.#random.pick<{ id: string }>(cards).id}`);
  }

  async #answerBank(): Promise<void> {
    const page = this.#banks.shift();
    if (page === undefined) return;
    const answer = this.#random.pick(["complete", "complete", "fail"]);
    await fetch(page, { method: "POST", body: new URLSearchParams({ answer }), redirect: "manual" });
  }

  /** A call's hold, and one that grows with new credit. */
  async #hold(): Promise<void> {
    const { db } = this.#world.database.handle;
    const [running] = this.#holds;
    if (running !== undefined) return void (await ledger.extendHold(db, { holdId: running, wantMicros: MAX_HELD_MICROS * 2n }));
    const holdId = crypto.randomUUID();
    await ledger.hold(db, { holdId, customerId: this.#client.id, wantMicros: MAX_HELD_MICROS, leastMicros: 1n });
    this.#holds.push(holdId);
  }

  async #hangUp(): Promise<void> {
    const holdId = this.#holds.shift();
    if (holdId === undefined) return;
    const { db } = this.#world.database.handle;
    const { rows } = await sql<{ held: bigint }>`select amount_micros as held from hold where id = ${holdId}`.execute(db);
    const chargeMicros = ((rows[0]?.held ?? 0n) * BigInt(this.#random.between(1, 10))) / 10n;
    await ledger.postHold(db, { holdId, chargeMicros, description: "Call" });
  }

  /** The job runs after this time. The clock then returns, because events with a wrong time are refused. */
  async #later(ms: number): Promise<void> {
    this.#world.service.clock.advance(ms);
    await this.#world.service.poll();
    this.#world.service.clock.advance(-ms);
  }

  async #atProvider(what: "refund" | "dispute"): Promise<void> {
    const paid = (await this.#charges()).filter(
      (charge) => charge.paid && !charge.disputed && charge.amount_refunded < charge.amount,
    );
    if (paid.length === 0) return;
    const { id, amount, amount_refunded: refunded } = this.#random.pick(paid);
    const body: Record<string, string> =
      what === "refund" ? { dollars: ((amount - refunded) / 100).toFixed(2) } : { reason: "fraudulent" };
    await this.#world.press(`payments/${id}/${what}`, body);
  }

  async #setStatus(status: string): Promise<void> {
    await sql`update customer set status = ${status} where id = ${this.#client.id}`.execute(this.#world.database.handle.db);
  }

  async #close(): Promise<void> {
    const customerId = this.#client.id;
    await requestErasure(this.#world.service.ctx, { customerId, forfeitedMicros: null, from: null, reason: null });
  }

  async #keep(): Promise<void> {
    await cancelErasure(this.#world.service.ctx, { customerId: this.#client.id, from: null, reason: null });
  }

  async #charges() {
    const { rows } = await sql<{ id: string }>`select payment_intent_id as id from payment
      where customer_id = ${this.#client.id} and payment_intent_id is not null`.execute(this.#world.database.handle.db);
    const charges = await Promise.all(
      rows.map(async ({ id }) => (await this.#world.service.ctx.stripe.charges.list({ payment_intent: id, limit: 100 })).data),
    );
    return charges.flat();
  }

  /** What each of the customer's payments has taken from a card, in cents, by the provider. */
  async #taken(): Promise<Map<string, number>> {
    const taken = new Map<string, number>();
    const { stripe } = this.#world.service.ctx;
    for await (const intent of stripe.paymentIntents.list({ limit: 100, created: { gte: this.#since } })) {
      const id = intent.metadata["payment_id"] ?? "";
      if (intent.metadata["customer_id"] !== this.#client.id || intent.status !== "succeeded") continue;
      taken.set(id, (taken.get(id) ?? 0) + intent.amount_received);
    }
    return taken;
  }

  async #payments(): Promise<PaymentNow[]> {
    const { rows } = await sql<PaymentNow>`
      select p.id, p.kind, p.status, p.saved_card_id is not null as kept, (select coalesce(sum(e.amount_micros), 0)::bigint / 10000 from ledger_entry e
        join ledger_transaction t on t.id = e.transaction_id
        where t.reference_id = p.id and t.kind = 'top_up' and e.customer_id is not null) as booked
      from payment p where p.customer_id = ${this.#client.id} order by p.id`.execute(this.#world.database.handle.db);
    return rows;
  }

  async #look(): Promise<Seen> {
    const { rows } = await sql<{ open: boolean; charges: boolean }>`
      select c.status = 'active' and c.closes_at is null as open,
        coalesce(t.is_on and t.stopped_reason is null, false) as charges
      from customer c left join auto_top_up t on t.customer_id = c.id where c.id = ${this.#client.id}`.execute(
      this.#world.database.handle.db,
    );
    const [{ open, charges } = { open: false, charges: false }] = rows;
    return { isOpen: open, wantsCharges: open && charges, taken: await this.#taken(), payments: await this.#payments() };
  }

  #judge(before: Seen, after: Seen, move: string): string | null {
    for (const { id, kind, status, booked } of after.payments) {
      const cents = after.taken.get(id) ?? 0;
      if (BigInt(cents) < booked) return `C1: ${booked} cents of ${id} were credited, its card paid ${cents}`;
      if (status === "paid" && booked === 0n) return `C1: ${id} is paid and not credited`;
      const isNew = cents > 0 && !before.taken.has(id);
      if (isNew && kind === "auto" && !before.wantsCharges && !move.startsWith("switches on"))
        return `C2: ${id} was charged automatically after its owner had revoked it`;
    }
    for (const [id, cents] of after.taken)
      if (cents !== 1_000 && cents !== 2_000) return `C3: the card of ${id} paid ${cents} cents`;
    return null;
  }

  /** Reason shown to the customer about each payment. */
  async #isTold(): Promise<string | null> {
    for (const { id } of await this.#payments()) {
      const { body } = await this.#client.post("confirm", { payment_id: id });
      const now = (await this.#payments()).find((one) => one.id === id);
      if ((body.status === "paid") !== (now?.booked ?? 0n) > 0n)
        return `C4: ${id} is told to be ${body.status}, ${now?.booked} cents are credited`;
    }
    return null;
  }

  /** All responses and events arrive, and time passes: then the books and the provider agree about every payment. */
  async #end(): Promise<string | null> {
    while (this.#holds.length > 0) await this.#hangUp();
    for (let round = 0; round < 3; round++) await this.#later(OVER_MS);
    const taken = await this.#taken();
    for (const { id, status, kept, booked } of await this.#payments()) {
      if (status === "created" || (kept && status === "open")) return `C5: ${id} is still ${status}`;
      if (booked !== BigInt(taken.get(id) ?? 0))
        return `C5: ${taken.get(id) ?? 0} cents were paid for ${id}, ${booked} were credited`;
    }
    const known = new Set((await this.#payments()).map(({ id }) => id));
    const lost = [...taken.keys()].find((id) => !known.has(id));
    return lost === undefined ? null : `C5: payment ${lost} was lost`;
  }
}

/** Refusals are part of the game. */
async function refusable(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
