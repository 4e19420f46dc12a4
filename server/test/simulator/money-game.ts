import { confirm, propose } from "../operate.ts";
import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { TIER_RULES } from "@farline/domain/calls/risk-tier.ts";
import pino from "pino";
import { requestRefund } from "../../src/calls/details/request-refund.ts";
import { findCallById } from "../../src/calls/record/call.store.ts";
import { ledger } from "../../src/ledger/ledger.ts";
import { AppError } from "../../src/platform/app-error.ts";
import { promotionJobs } from "../../src/promotions/promotions.ts";
import { readPaymentFacts } from "../../src/risk/risk.ts";
import type { BillingClient } from "../worlds/billing-service.ts";
import type { BillingWorld } from "../worlds/billing-world.ts";
import { insertPastCalls } from "../past-calls.ts";
import { BankMoves, disputedCents, refundedCents } from "./bank-moves.ts";
import { FamilyCalls } from "./family-calls.ts";
import { Random } from "./random.ts";
import { SilentCalls } from "./silent-calls.ts";
import { asOperator, testConfig } from "../test-context.ts";

const REFERRAL_MICROS = 2_000_000n;
const REFERRAL_LEAST_MICROS = 10_000_000n;
const ACCOUNTS = 4;
const MOVES = 36;
/** An automatic refund is at most one part in this many of what the customer has paid for calls. */
const REFUND_SHARE = 20n;
const MICROS_PER_CENT = 10_000n;
const WHY = { reason: "The customer asked" };

interface Account {
  readonly client: BillingClient;
  readonly sessions: string[];
  /** Checkouts whose payment is pending or will fail. */
  readonly promised: string[];
  readonly calls: string[];
}

export interface MoneyGameRules {
  readonly seed: number;
  /** Whether the player also disputes payments, and operators unfreeze the accounts again. */
  readonly disputes: boolean;
  /** Whether the player's accounts buy credit for each other. */
  readonly gives: boolean;
  /** Whether the player's accounts call on each other's credit. */
  readonly families: boolean;
  /** Whether up to three moves run at the same time. Without, the seed alone decides the game. */
  readonly atOnce: boolean;
}

/**
 * One player with several accounts and accomplices at the far end, who tries everything that customers can do, also
 * concurrently: pay at once or later, buy credit for each other, use codes, refer themselves, call, fall silent, request refunds, withdraw, dispute
 * all or a part, win, lose or appeal. Two operators refund payments that the player complains about, and unfreeze the accounts. Services and database are real; the game keeps its own count of the player's payments and gains.
 */
export class MoneyGame {
  readonly #world: BillingWorld;
  readonly #random: Random;
  readonly #disputes: boolean;
  readonly #gives: boolean;
  readonly #families: boolean;
  readonly #atOnce: boolean;
  readonly #accounts: Account[] = [];
  readonly #silentCalls: SilentCalls;
  readonly #familyCalls: FamilyCalls;
  readonly #banks: BankMoves;
  /** Call charges before refunds, because accomplices keep their share anyway. */
  #calledMicros = 0n;

  constructor(world: BillingWorld, game: MoneyGameRules) {
    this.#world = world;
    this.#random = new Random(game.seed);
    this.#silentCalls = new SilentCalls(world.database.handle, this.#random);
    this.#familyCalls = new FamilyCalls(world.database.handle, this.#random);
    this.#banks = new BankMoves(world, this.#random);
    this.#disputes = game.disputes;
    this.#gives = game.gives;
    this.#families = game.families;
    this.#atOnce = game.atOnce;
  }

  /** @returns the broken rule, or null */
  async play(): Promise<string | null> {
    await this.#signUp();
    for (let move = 0; move < MOVES; move++) {
      const moves = Array.from({ length: this.#random.between(1, 3) }, () => () => this.#move(this.#random.pick(this.#accounts)));
      if (this.#atOnce) await Promise.all(moves.map((one) => one()));
      else for (const one of moves) await one();
      // Between moves, so that a pending event does not expire at once.
      if (this.#random.chance(0.2)) this.#world.service.clock.advance(this.#random.between(1, 20) * DAY_MS);
    }
    for (const account of this.#accounts) await this.#withdraw(account, null);
    await this.#call(this.#random.pick(this.#accounts), 1);
    return (
      (await this.#gain()) ??
      (await this.#banks.rule(this.#accounts.flatMap(({ sessions }) => sessions))) ??
      (await this.#refundsTooMuch()) ??
      (await this.#countsMoneyThatLeft()) ??
      (await this.#withdrawsGifts()) ??
      this.#losesToSilence() ??
      (await this.#familyCalls.rule())
    );
  }

  async #signUp(): Promise<void> {
    const { db } = this.#world.database.handle;
    const createdAt = new Date(this.#world.service.clock.now().getTime() - 60 * DAY_MS);
    for (let index = 0; index < ACCOUNTS; index++) {
      const client = await this.#world.service.signUp({ createdAt });
      await sql`update customer set email_verified = true, created_at = ${createdAt} where id = ${client.id}`.execute(db);
      const inviter = this.#accounts.at(this.#random.between(0, Math.max(0, index - 1)));
      if (inviter !== undefined)
        await sql`insert into referral (invited_id, inviter_id, created_at) values (${client.id}, ${inviter.client.id}, ${this.#world.service.clock.now()})`.execute(
          db,
        );
      this.#accounts.push({ client, sessions: [], promised: [], calls: [] });
    }
  }

  async #move(account: Account): Promise<void> {
    const moves = [
      () => this.#pay(account),
      () => this.#promise(account),
      () => this.#endPromise(account),
      () => this.#call(account, this.#random.pick([0.1, 0.3, 1])),
      () => this.#call(account, this.#random.pick([0.02, 0.2])),
      () => this.#callInARow(account, this.#silentCalls),
      () => this.#askBack(account),
      () => this.#withdraw(account, this.#random.pick([null, 1, 5, 8])),
      () => this.#promote(),
      () => this.#banks.settleRefunds(account.sessions),
      () => this.#complain(account),
      () => (this.#disputes ? this.#banks.dispute(account.sessions) : this.#promote()),
      () => (this.#disputes ? this.#banks.goOn(account.sessions) : this.#pay(account)),
      ...(this.#disputes ? [() => this.#banks.goOn(account.sessions), () => this.#unfreeze(account)] : []),
      ...(this.#gives ? [() => this.#give(account), () => this.#give(account)] : []),
      ...(this.#families ? this.#familyMoves(account) : []),
    ];
    await this.#random.pick(moves)();
  }

  /** @returns the session, or null if it was refused */
  async #checkOut({ client }: Account): Promise<string | null> {
    const order = this.#random.pick([{ amount: 10 }, { amount: 20 }, { amount: 10, promo_code: "GAME" }, { package_id: "50" }]);
    const { status, body } = await client.post("package_id" in order ? "purchase-package" : "top-up", order);
    return status === 200 ? body.session_id : null;
  }

  /** A bank debit or a voucher, which pays later. */
  async #promise(account: Account): Promise<void> {
    const id = await this.#checkOut(account);
    if (id === null) return;
    this.#world.stripe.promise(id, this.#random.pick(["sepa_debit", "oxxo"]));
    account.promised.push(id);
    await this.#world.hear("checkout.session.completed", { id });
  }

  async #endPromise({ promised, sessions }: Account): Promise<void> {
    const id = promised.shift();
    if (id === undefined) return;
    const comes = this.#random.chance(0.6);
    if (comes) this.#world.stripe.pay(id);
    else this.#world.stripe.breakPromise(id);
    if (comes) sessions.push(id);
    await this.#world.hear(`checkout.session.async_payment_${comes ? "succeeded" : "failed"}`, { id });
  }

  async #pay(account: Account): Promise<void> {
    const id = await this.#checkOut(account);
    if (id === null) return;
    this.#world.stripe.pay(id);
    account.sessions.push(id);
    await this.#world.hear("checkout.session.completed", { id });
    // In half of the cases the referral is decided before the next move.
    if (this.#random.chance(0.5)) await this.#promote();
  }

  /** Buys credit for another account of the player, once or twice, or tries to for the same one. */
  async #give(account: Account): Promise<void> {
    const { body } = await this.#random.pick(this.#accounts).client.post("../credit-requests", {});
    if (body.url === undefined) return;
    const token = String(body.url).split("#t=")[1] ?? "";
    for (let gifts = this.#random.between(1, 2); gifts > 0; gifts--) {
      const order = await account.client.post("gifts", { token, amount: this.#random.pick([10, 20]) });
      if (order.status !== 200) return;
      this.#world.stripe.pay(order.body.session_id);
      account.sessions.push(order.body.session_id);
      await this.#world.hear("checkout.session.completed", { id: order.body.session_id });
    }
  }

  async #promote(): Promise<void> {
    const ctx = {
      ...this.#world.service.ctx,
      log: pino({ level: "silent" }),
      config: testConfig({ promotions: { firstCallMicros: 0n, referralMicros: REFERRAL_MICROS, freeCreditPerDayMicros: 0n } }),
    };
    for (const job of promotionJobs(ctx)) await job.run(new AbortController().signal);
  }

  /** Calls an accomplice, who stays silent. @param share of the available credit */
  async #call({ client, calls }: Account, share: number): Promise<void> {
    const { db } = this.#world.database.handle;
    const { availableMicros } = await ledger.balance(db, client.id);
    const micros = BigInt(Math.floor(Number(availableMicros) * share));
    if (micros <= 0n) return;
    const now = this.#world.service.clock.now();
    const destination = `+4420794${String(this.#random.between(0, 99_999)).padStart(5, "0")}`;
    const call = { customerId: client.id, createdAt: now, destination, chargeMicros: micros };
    const [id = ""] = await insertPastCalls(db, [call]);
    const held = await ledger
      .hold(db, { holdId: id, customerId: client.id, wantMicros: micros, leastMicros: micros })
      .catch(() => null);
    if (held === null) return void (await sql`delete from call where id = ${id}`.execute(db));
    await ledger.postHold(db, { holdId: id, chargeMicros: micros, description: "Call" });
    await sql`insert into call_event (id, call_id, source, kind, leg, occurred_at, received_at, payload)
       values (${id}::uuid || ':hangup', ${id}, 'provider', 'hangup', 'far', ${now}, ${now}, '{"call_quality_stats": {"inbound": {"packet_count": "0"}}}')`.execute(
      db,
    );
    this.#calledMicros += micros;
    calls.push(id);
  }

  /** Up to four times in a row, until a call is refused. */
  async #callInARow(account: Account, calls: SilentCalls | FamilyCalls): Promise<void> {
    if (await this.#isFrozen(account)) return;
    for (let left = this.#random.between(1, 4); left > 0; left--) {
      const call = await calls.make(account.client.id, this.#world.service.clock.now());
      if (call === null) return;
      this.#calledMicros += call.chargeMicros;
      if (call.chargeMicros > 0n) account.calls.push(call.id);
    }
  }

  #familyMoves(account: Account): (() => Promise<void>)[] {
    const { id } = account.client;
    return [
      () => this.#familyCalls.join(id, this.#random.pick(this.#accounts).client.id),
      () => this.#callInARow(account, this.#familyCalls),
      () => this.#callInARow(account, this.#familyCalls),
      () => (this.#random.chance(0.3) ? this.#familyCalls.leave(id) : this.#callInARow(account, this.#familyCalls)),
    ];
  }

  async #askBack({ calls }: Account): Promise<void> {
    const { ctx } = this.#world.service;
    const call = calls.length === 0 ? undefined : await findCallById(ctx.handle.db, this.#random.pick(calls));
    if (call !== undefined) await requestRefund(ctx, call, { reason: "no_audio", note: "" }).catch(() => null);
  }

  /** @param dollars null for all */
  async #withdraw(account: Account, dollars: number | null): Promise<void> {
    if (await this.#isFrozen(account)) return;
    this.#world.stripe.refundsAre = this.#random.pick(["refused", "pending", "pending", ...Array(5).fill("succeeded")]);
    const amount = dollars ?? (await account.client.get("withdrawals")).body.withdrawable;
    await account.client.post("withdrawals", { amount });
    this.#world.stripe.refundsAre = "succeeded";
  }

  /** An operator refunds what is unspent of a payment; above the limit of one, another confirms it. */
  async #complain({ sessions }: Account): Promise<void> {
    if (sessions.length === 0) return;
    const { db } = this.#world.database.handle;
    const session = this.#random.pick(sessions);
    const { rows } = await sql<{ id: string }>`select id from payment where session_id = ${session}`.execute(db);
    const order = {
      payment: rows[0]?.id ?? "",
      amount: this.#random.pick([null, 5_000_000n]) ?? undefined,
      force: false,
      ...WHY,
    };
    await this.#byTwo("refund", order);
  }

  async #unfreeze({ client }: Account): Promise<void> {
    await this.#byTwo("unfreeze", { customer: client.id, ...WHY });
  }

  /** One operator does it; if it then waits, another confirms it. Refusals are part of the game. */
  async #byTwo<N extends "refund" | "unfreeze">(name: N, input: Parameters<typeof propose<N>>[2]): Promise<void> {
    const { ctx } = this.#world.service;
    try {
      const { proposal } = await propose(asOperator(ctx, "grace"), name, input);
      if (proposal !== null) await confirm(asOperator(ctx, "bob"), proposal.id);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }

  async #isFrozen({ client }: Account): Promise<boolean> {
    return (await this.#world.statusOf(client)) === "frozen";
  }

  /**
   * Checks that calls and returned money do not exceed payments, the bonus promised for payments that stayed, automatic
   * refunds, and the known loss: disputed payments and their bonus.
   */
  async #gain(): Promise<string | null> {
    let outMicros = this.#calledMicros;
    let maxMicros = await this.#givenByRule(null);
    for (const payment of await this.#payments()) {
      const { stayedMicros, goneMicros, disputedMicros, chargeMicros, bonusMicros, referral } = payment;
      const isDisputed = disputedMicros > 0n;
      outMicros += goneMicros;
      const promised = isDisputed ? bonusMicros : bonusMicros - (bonusMicros * goneMicros) / chargeMicros;
      const earnsReferral = isDisputed || stayedMicros >= REFERRAL_LEAST_MICROS;
      maxMicros += chargeMicros + promised + (earnsReferral ? referral : 0n) + disputedMicros;
    }
    return outMicros <= maxMicros ? null : `G1: the player got ${outMicros} for at most ${maxMicros} micro-dollars`;
  }

  /** Checks that no card got back what is still, or was, the credit of whom it was bought for. */
  async #withdrawsGifts(): Promise<string | null> {
    const { rows } = await sql<{ id: string; withdrawn: bigint; back: bigint }>`
      select p.session_id as id,
        (select coalesce(sum(r.amount_micros), 0)::bigint from refund r
          where r.payment_id = p.id and r.withdrawal_id is not null and r.status <> 'failed') as withdrawn,
        (select coalesce(sum(e.amount_micros), 0)::bigint from ledger_transaction t join ledger_entry e on e.transaction_id = t.id
          where t.reference_id = g.id and e.customer_id = g.payer_id and e.amount_micros > 0) as back
      from credit_gift g join payment p on p.id = g.payment_id where g.state = 'given'`.execute(this.#world.database.handle.db);
    const broken = rows.find(({ withdrawn, back }) => withdrawn > back);
    return broken === undefined ? null : `G6: ${broken.withdrawn} of a gift were withdrawn of which ${broken.back} came back`;
  }

  async #refundsTooMuch(): Promise<string | null> {
    const { db } = this.#world.database.handle;
    for (const { client } of this.#accounts) {
      const paid = await ledger.paidForCalls(db, client.id, new Date("2999-01-01"));
      const given = await this.#givenByRule(client.id);
      if (given * REFUND_SHARE > paid + given) return `G2: ${given} given back by rule to who paid ${paid} for calls`;
    }
    return null;
  }

  #losesToSilence(): string | null {
    return this.#silentCalls.rule((id) => this.#accounts.some(({ client, sessions }) => client.id === id && sessions.length > 0));
  }

  async #countsMoneyThatLeft(): Promise<string | null> {
    const { db } = this.#world.database.handle;
    const all = await this.#payments();
    for (const { client } of this.#accounts) {
      const stayed = all.filter((one) => one.customerId === client.id && one.stayedMicros >= TIER_RULES.minKeptMicros);
      const { paidPayments } = await readPaymentFacts(db, client.id, this.#world.service.clock.now());
      if (paidPayments > stayed.length) return `G3: ${paidPayments} payments count of which ${stayed.length} stayed`;
    }
    return null;
  }

  /** The provider's state of each payment, and the bonus promised for it. */
  async #payments() {
    const { rows } = await sql<{
      id: string;
      bonus: bigint;
      referral: bigint;
    }>`select p.session_id as id, p.bonus_micros as bonus,
         coalesce(r.invited_bonus_micros + r.inviter_bonus_micros, 0)::bigint as referral
       from payment p left join referral r on r.payment_id = p.id where p.session_id = any (${this.#accounts.flatMap(({ sessions }) => sessions)})`.execute(
      this.#world.database.handle.db,
    );
    return rows.map(({ id, bonus, referral }) => {
      const session = this.#world.stripe.session(id);
      const chargeMicros = BigInt(session.amount_total) * MICROS_PER_CENT;
      const disputedMicros = BigInt(disputedCents(session)) * MICROS_PER_CENT;
      const goneMicros = BigInt(refundedCents(session)) * MICROS_PER_CENT + disputedMicros;
      const customerId = this.#accounts.find(({ sessions }) => sessions.includes(id))?.client.id;
      const stayedMicros = chargeMicros - goneMicros;
      return { customerId, chargeMicros, goneMicros, stayedMicros, disputedMicros, bonusMicros: bonus, referral };
    });
  }

  /** @param customerId null for all accounts of the player */
  async #givenByRule(customerId: string | null): Promise<bigint> {
    const ids = customerId === null ? this.#accounts.map(({ client }) => client.id) : [customerId];
    const { rows } = await sql<{ given: bigint }>`select coalesce(sum(r.amount_micros), 0)::bigint as given
       from call_refund_request r join call c on c.id = r.call_id
       where r.decided_by = 'rule' and coalesce(c.payer_id, c.customer_id) = any (${ids})`.execute(
      this.#world.database.handle.db,
    );
    return rows[0]?.given ?? 0n;
  }
}
