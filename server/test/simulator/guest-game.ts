import { DAY_MS } from "@farline/domain/durations.ts";
import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import { sql } from "kysely";
import { orderGuestGift } from "../../src/billing/checkout/order-gift.ts";
import { deleteCreditRequest } from "../../src/billing/credit-for-others/gift.store.ts";
import { ledger } from "../../src/ledger/ledger.ts";
import { AppError } from "../../src/platform/app-error.ts";
import { confirm, propose } from "../operate.ts";
import { asOperator } from "../test-context.ts";
import type { BillingClient } from "../worlds/billing-service.ts";
import type { BillingWorld } from "../worlds/billing-world.ts";
import { BankMoves } from "./bank-moves.ts";
import { Random } from "./random.ts";

const RECEIVERS = 2;
const GUESTS = 3;
const MOVES = 60;
/** Held credit is decided within this time, and what was kept is then with the card. */
const DAYS_AFTER = 5;
const WHY = { reason: "The customer asked" };
/** Declared once more, so that a changed bound is noticed. */
const BOUNDS = { onceMicros: 50_000_000n, dayMicros: 100_000_000n, monthMicros: 300_000_000n };
/** Their banks ask, and the owner confirms. */
const CONFIRMED = ["confirmed one", "confirmed two"];
const CARDS = [...CONFIRMED, "three", "four"];

interface Receiver {
  readonly client: BillingClient;
  readonly links: { readonly id: string; readonly token: string }[];
}

interface GiftNow {
  readonly id: string;
  readonly session: string;
  readonly state: "ordered" | "held" | "given" | "kept";
  readonly due: Date | null;
  readonly untouched: boolean;
  readonly open: boolean;
  readonly withdrawn: bigint;
}

/**
 * One player who owns the accounts that ask for credit, the guests' addresses and cards, some of them stolen. Guests order, pay at once, later or never,
 * also two at once; they confirm at their bank late, twice or never; cards are shared; banks refund and dispute before and after the credit was given; events come twice and late; receivers
 * spend, withdraw, close and end their links; operators lock, unlock and refund. Moves that follow each other depend on the seed alone.
 */
export class GuestGame {
  readonly #world: BillingWorld;
  readonly #random: Random;
  readonly #atOnce: boolean;
  /** Checkouts that end at the bank leave less room to pass the bounds. */
  readonly #banksAsk: boolean;
  readonly #banks: BankMoves;
  readonly #receivers: Receiver[] = [];
  /** Ordered and not yet paid. */
  readonly #open: string[] = [];
  readonly #promised: string[] = [];
  /** The bank waits for the guest's confirmation. */
  readonly #asked: string[] = [];
  readonly #paid: string[] = [];
  readonly #heard: { readonly type: string; readonly id: string }[] = [];
  readonly #seed: number;
  #broken: string | null = null;

  constructor(world: BillingWorld, { seed, atOnce }: { readonly seed: number; readonly atOnce: boolean }) {
    this.#world = world;
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#atOnce = atOnce;
    this.#banksAsk = seed % 4 > 2;
    this.#banks = new BankMoves(world, this.#random);
  }

  /** @returns the broken rule, or null */
  async play(): Promise<string | null> {
    for (let count = 0; count < RECEIVERS; count++) {
      const client = await this.#world.service.signUp();
      this.#receivers.push({ client, links: [] });
      await this.#ask(this.#receivers[count] as Receiver);
    }
    for (let move = 0; move < MOVES && this.#broken === null; move++) {
      const before = await this.#gifts();
      if (this.#atOnce) await Promise.all([this.#move(), this.#move(), this.#move()]);
      else await this.#move();
      this.#broken ??= this.#judge(before, await this.#gifts());
      if (this.#random.chance(0.2)) this.#world.service.clock.advance(this.#random.between(1, 60) * (DAY_MS / 24));
    }
    return this.#broken ?? (await this.#end());
  }

  async #move(): Promise<void> {
    const receiver = this.#random.pick(this.#receivers);
    const often = [() => this.#order(receiver), () => this.#pay(), () => this.#unlock(), () => this.#jobs()];
    const moves = [
      ...often,
      ...often,
      ...often,
      () => this.#promise(),
      () => this.#endPromise(),
      ...(this.#banksAsk ? [() => this.#answerBank()] : []),
      () => this.#hearAgain(),
      () => this.#banks.dispute(this.#paid),
      () => this.#banks.goOn(this.#paid),
      () => this.#banks.settleRefunds(this.#paid),
      () => this.#refund(),
      () => this.#spend(receiver),
      () => this.#topUp(receiver),
      () => this.#withdraw(receiver),
      () => this.#close(receiver),
      () => this.#ask(receiver),
      () => this.#endLink(receiver),
      () => this.#lock(),
    ];
    await this.#random.pick(moves)();
  }

  async #ask({ client, links }: Receiver): Promise<void> {
    const { status, body } = await client.post("../credit-requests", {});
    if (status === 200) links.push({ id: body.id, token: String(body.url).split("#t=")[1] ?? "" });
  }

  /** Its checkouts may still be paid. */
  async #endLink({ client, links }: Receiver): Promise<void> {
    const link = links.shift();
    if (link !== undefined) await deleteCreditRequest(this.#world.database.handle.db, client.id, link.id);
  }

  async #order({ links }: Receiver): Promise<void> {
    if (links.length === 0) return;
    const number = this.#random.between(1, GUESTS);
    const guest = { name: "Kofi", email: `guest${number}.${this.#seed}@example.com`, language: "en" } as const;
    const amountMicros = this.#random.pick([5_000_000n, 10_000_000n, 20_000_000n, 50_000_000n, 60_000_000n]);
    const order = { token: this.#random.pick(links).token, amountMicros, greeting: "", requestKey: null };
    const placed = await refusable(() => orderGuestGift(this.#world.service.ctx, guest, order));
    if (typeof placed?.session_id === "string") this.#open.push(placed.session_id);
  }

  async #pay(): Promise<void> {
    const id = this.#nextOpen();
    if (id === null) return;
    if (this.#banksAsk && this.#random.chance(0.4)) return this.#meetBank(id);
    this.#takeFrom(id, this.#random.pick(CARDS));
    await this.#hear("checkout.session.completed", id);
  }

  #nextOpen(): string | null {
    const id = this.#open.shift();
    return id !== undefined && this.#world.stripe.session(id).status === "open" ? id : null;
  }

  #takeFrom(id: string, card: string): void {
    this.#world.stripe.pay(id, `${card} ${this.#seed}`);
    this.#paid.push(id);
  }

  /** The bank asks for a confirmation (3-D Secure). The checkout stays open meanwhile. */
  #meetBank(id: string): void {
    this.#world.stripe.session(id).intent.status = "requires_action";
    this.#asked.push(id);
  }

  /** The guest confirms, perhaps in two windows, which both return; or leaves, and the provider closes the checkout. */
  async #answerBank(): Promise<void> {
    const id = this.#asked.shift();
    if (id === undefined || this.#world.stripe.session(id).status !== "open") return;
    if (this.#random.chance(0.3)) {
      this.#world.stripe.session(id).status = "expired";
      return this.#hear("checkout.session.expired", id);
    }
    this.#takeFrom(id, this.#random.pick(CONFIRMED));
    const payload = { session_id: id };
    const back = () => this.#world.service.app.inject({ method: "POST", url: "/api/credit-requests/outcome", payload });
    const windows = this.#random.between(0, 2);
    await Promise.all([this.#hear("checkout.session.completed", id), ...Array.from({ length: windows }, back)]);
  }

  /** A bank debit, which pays later. */
  async #promise(): Promise<void> {
    const id = this.#nextOpen();
    if (id === null) return;
    this.#world.stripe.promise(id);
    this.#promised.push(id);
    await this.#hear("checkout.session.completed", id);
  }

  async #endPromise(): Promise<void> {
    const id = this.#promised.shift();
    if (id === undefined) return;
    const comes = this.#random.chance(0.6);
    if (comes) {
      this.#world.stripe.pay(id);
      this.#paid.push(id);
    } else this.#world.stripe.breakPromise(id);
    await this.#hear(`checkout.session.async_payment_${comes ? "succeeded" : "failed"}`, id);
  }

  async #hear(type: string, id: string): Promise<void> {
    this.#heard.push({ type, id });
    // Some events are lost: the poller finds the payment, or one that comes twice does.
    if (this.#random.chance(0.85)) await this.#world.hear(type, { id });
  }

  /** An event comes again, or late, after others. */
  async #hearAgain(): Promise<void> {
    if (this.#heard.length === 0) return;
    const { type, id } = this.#random.pick(this.#heard);
    await this.#world.hear(type, { id });
  }

  async #spend({ client }: Receiver): Promise<void> {
    const { availableMicros } = await ledger.balance(this.#world.database.handle.db, client.id);
    const dollars = Math.floor(Number(availableMicros) / 1e6) * this.#random.pick([0.2, 1]);
    if (dollars > 0 && (await this.#world.statusOf(client)) === "active")
      await refusable(() => this.#world.spend(client, dollars));
  }

  async #topUp({ client }: Receiver): Promise<void> {
    const { status, body } = await client.post("top-up", { amount: 10 });
    if (status === 200) this.#open.push(body.session_id);
  }

  /** What a receiver gets out is what they bought and did not spend. */
  async #withdraw({ client }: Receiver): Promise<void> {
    this.#world.stripe.refundsAre = this.#random.pick(["refused", "pending", "succeeded", "succeeded"]);
    const { balanceMicros, bonusMicros } = await ledger.balance(this.#world.database.handle.db, client.id);
    const own = balanceMicros - bonusMicros;
    const dollars = this.#random.pick([1, 5, 10]);
    const { status } = await client.post("withdrawals", { amount: String(dollars) });
    this.#world.stripe.refundsAre = "succeeded";
    const taken = status < 300 ? BigInt(dollars) * MICROS_PER_DOLLAR : 0n;
    if (!this.#atOnce && taken > own) this.#broken = `G9: ${taken} were withdrawn of ${own} micro-dollars that were bought`;
  }

  /** Closes the account, or changes their mind. */
  async #close({ client }: Receiver): Promise<void> {
    const closes = this.#random.chance(0.3);
    await sql`update customer set closes_at = case when ${closes} then ${this.#now()}::timestamptz + interval '7 days' end
      where id = ${client.id}`.execute(this.#world.database.handle.db);
  }

  async #lock(): Promise<void> {
    const customer = await this.#somebody();
    if (customer !== null) await this.#byTwo("freeze", { customer, because: "review", ...WHY });
  }

  async #unlock(): Promise<void> {
    const customer = await this.#somebody("frozen");
    if (customer !== null) await this.#byTwo("unfreeze", { customer, ...WHY });
  }

  async #refund(): Promise<void> {
    if (this.#paid.length === 0) return;
    const { rows } = await sql<{
      id: string;
    }>`select id from payment where session_id = ${this.#random.pick(this.#paid)}`.execute(this.#world.database.handle.db);
    this.#world.stripe.refundsAre = this.#random.pick(["refused", "pending", "succeeded", "succeeded"]);
    const amount = this.#random.pick([{}, { amount: 3_000_000n }]);
    await this.#byTwo("refund", { payment: rows[0]?.id ?? "", force: this.#random.chance(0.3), ...amount, ...WHY });
    this.#world.stripe.refundsAre = "succeeded";
  }

  async #jobs(): Promise<void> {
    for (const job of ["poll-payments", "give-due-credit", "push-refunds"] as const) await this.#world.service.runJob(job);
  }

  /** One operator does it; if it then waits, another confirms it. */
  async #byTwo<N extends "refund" | "freeze" | "unfreeze">(name: N, input: Parameters<typeof propose<N>>[2]): Promise<void> {
    const { ctx } = this.#world.service;
    await refusable(async () => {
      const { proposal } = await propose(asOperator(ctx, "grace"), name, input);
      if (proposal !== null) await confirm(asOperator(ctx, "bob"), proposal.id);
    });
  }

  /** Guests or receivers of this game. */
  async #somebody(status: "active" | "frozen" = "active"): Promise<string | null> {
    const { rows } = await sql<{ id: string }>`select id from customer where status = ${status}
      and (id = any (${this.#receivers.map(({ client }) => client.id)}) or email like ${`%.${this.#seed}@example.com`}) order by id`.execute(
      this.#world.database.handle.db,
    );
    return rows.length === 0 ? null : this.#random.pick(rows).id;
  }

  async #gifts(): Promise<GiftNow[]> {
    const { rows } = await sql<GiftNow>`
      select g.id, p.session_id as session, g.state, g.due_at as due, p.stayed_micros = p.charge_micros as untouched,
        payer.status = 'active' and receiver.status = 'active' and receiver.closes_at is null as open,
        (select coalesce(sum(r.amount_micros), 0)::bigint from refund r
          where r.payment_id = p.id and r.withdrawal_id is not null and r.status <> 'failed') as withdrawn
      from credit_gift g join payment p on p.id = g.payment_id join customer payer on payer.id = g.payer_id
      join customer receiver on receiver.id = g.beneficiary_id
      where g.beneficiary_id = any (${this.#receivers.map(({ client }) => client.id)})`.execute(this.#world.database.handle.db);
    return rows;
  }

  /** What one round of moves did to the gifts. */
  #judge(before: readonly GiftNow[], after: readonly GiftNow[]): string | null {
    for (const gift of after) {
      const was = before.find(({ id }) => id === gift.id);
      const name = `the gift of ${gift.session}`;
      if ((was?.state === "given" || was?.state === "kept") && gift.state !== was.state)
        return `G10: ${name} was ${was.state} and is ${gift.state}`;
      if ((gift.state === "ordered" || gift.state === "held") && gift.withdrawn > 0n)
        return `G11: ${gift.withdrawn} of ${name} were returned before it was decided`;
      if (this.#atOnce || was === undefined || gift.state === was.state) continue;
      if (gift.state === "given" && !(was.untouched && was.open))
        return `G10: ${name} was given although it was locked or taken back`;
      if (gift.state === "given" && was.state === "held" && was.due !== null && was.due > this.#now())
        return `G10: ${name} was given before it was due`;
      if (gift.state === "kept" && was.untouched && gift.untouched && was.open && gift.open)
        return `G11: ${name} was kept for no reason`;
    }
    return null;
  }

  /** Everybody is unlocked, all events and refunds arrive, and some days pass: then nothing may be left with a guest. */
  async #end(): Promise<string | null> {
    const { db } = this.#world.database.handle;
    for (const { type, id } of this.#heard) await this.#world.hear(type, { id });
    for (let round = 0; round < DAYS_AFTER; round++) {
      for (let tries = 0; tries < RECEIVERS + GUESTS; tries++) await this.#unlock();
      this.#world.service.clock.advance(DAY_MS);
      await this.#jobs();
    }
    const broken = (await this.#banks.rule(this.#paid)) ?? (await this.#credited()) ?? (await this.#bounds());
    if (broken !== null) return broken;
    const { rows } = await sql<{ session: string; state: string; left: bigint; given: bigint; amount: bigint }>`
      select p.session_id as session, g.state, g.amount_micros as amount,
        case when p.return_failed or payer.status <> 'active' then 0 else least(a.balance_micros - a.held_micros,
          greatest(0, l.returnable_micros - l.given_micros)) end as left,
        (select coalesce(sum(e.amount_micros), 0)::bigint from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
          where t.reference_id = g.id and e.customer_id = g.beneficiary_id) as given
      from credit_gift g join payment p on p.id = g.payment_id join account a on a.customer_id = g.payer_id
      join customer payer on payer.id = g.payer_id cross join lateral payment_left(array[p.id]) l
      where p.status = 'paid' and g.beneficiary_id = any (${this.#receivers.map(({ client }) => client.id)})`.execute(db);
    for (const { session, state, left, given, amount } of rows) {
      if (state !== "given" && state !== "kept") return `G10: the gift of ${session} is still ${state}`;
      if (given < 0n || given > (state === "given" ? amount : 0n))
        return `G10: ${given} of ${amount} of ${session}, which is ${state}`;
      if (left > 0n) return `G11: ${left} of ${session} are neither given nor returned`;
    }
    return null;
  }

  /** What a card paid is credited, once, and nothing else is. */
  async #credited(): Promise<string | null> {
    const { rows } = await sql<{ session: string; charge: bigint; credited: bigint }>`
      select p.session_id as session, p.charge_micros as charge, (select coalesce(sum(e.amount_micros), 0)::bigint from ledger_entry e
        join ledger_transaction t on t.id = e.transaction_id
        where t.reference_id = p.id and t.kind = 'top_up' and e.customer_id is not null) as credited
      from payment p where p.session_id is not null`.execute(this.#world.database.handle.db);
    for (const { session, charge, credited } of rows) {
      const paid = this.#world.stripe.session(session).payment_status === "paid" ? charge : 0n;
      if (credited !== paid) return `G12: ${paid} micro-dollars were paid for ${session}, ${credited} were credited`;
    }
    return null;
  }

  /** Each order, with those before it. */
  async #bounds(): Promise<string | null> {
    const { rows } = await sql<{ id: string; one: bigint; day: bigint; month: bigint }>`
      select g.id, g.amount_micros as one,
        sum(g.amount_micros) over (w range between interval '23:59:59' preceding and current row)::bigint as day,
        sum(g.amount_micros) over (w range between interval '29 days 23:59:59' preceding and current row)::bigint as month
      from credit_gift g join payment p on p.id = g.payment_id
      where p.status not in ('failed', 'expired') and g.beneficiary_id = any (${this.#receivers.map(({ client }) => client.id)})
      window w as (partition by g.beneficiary_id order by g.created_at)`.execute(this.#world.database.handle.db);
    const over = rows.find(
      ({ one, day, month }) => one > BOUNDS.onceMicros || day > BOUNDS.dayMicros || month > BOUNDS.monthMicros,
    );
    return over === undefined ? null : `G8: with ${over.one}, one account may get ${over.day} a day and ${over.month} a month`;
  }

  #now(): Date {
    return this.#world.service.clock.now();
  }
}

/** Refusals are part of the game. */
async function refusable<Result>(act: () => Promise<Result>): Promise<Result | null> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return null;
  }
}
