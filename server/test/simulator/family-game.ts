import { sql } from "kysely";
import type { ErrorBody } from "@farline/contract/errors.ts";
import type { InitiateResponse } from "@farline/contract/calls.ts";
import type { Customer } from "../../src/accounts/accounts.ts";
import { extendByCredit } from "../../src/calls/live/extend-call.ts";
import { ledger, verifyLedger } from "../../src/ledger/ledger.ts";
import { startRunningCall, type RunningCall } from "../running-call.ts";
import { LONDON, type CallWorld } from "../worlds/call-world.ts";
import { familyOf, type MemberLimits } from "../worlds/family-of.ts";
import { Random } from "./random.ts";

const PEOPLE = 5;
const MOVES = 50;
const CAPS = [null, "0.03", "0.20", "1.00"];

interface Invitation {
  readonly token: string;
  readonly owner: Customer;
  accepted: number;
  withdrawn: boolean;
}

interface CallNow {
  readonly id: string;
  readonly caller: string;
  readonly payer: string;
  readonly held: bigint;
  readonly charged: bigint;
  readonly live: boolean;
}

/**
 * A player's accounts invite each other into families by every door: links used twice, by their maker, after they were withdrawn or their
 * family ended, by owners of other families, and several at the same moment. Members call, owners lower the limits, remove, freeze and end while
 * calls run, and credit arrives in between. All by the requests of the page, and the provider's events.
 */
export class FamilyGame {
  readonly #world: CallWorld;
  readonly #family: ReturnType<typeof familyOf>;
  readonly #random: Random;
  readonly #people: Customer[] = [];
  readonly #invitations: Invitation[] = [];
  readonly #running: RunningCall[] = [];
  readonly #broken: string[] = [];

  constructor(world: CallWorld, seed: number) {
    this.#world = world;
    this.#family = familyOf(world);
    this.#random = new Random(seed);
  }

  /** @returns the broken rule, or null */
  async play(): Promise<string | null> {
    for (let count = 0; count < PEOPLE; count++)
      this.#people.push(
        await this.#world.customer({ tier: "trusted", creditMicros: BigInt(this.#random.between(1, 3)) * 1_000_000n }),
      );
    for (let move = 0; move < MOVES && this.#broken.length === 0; move++) {
      if (this.#random.chance(0.3)) await Promise.all([this.#change(), this.#change(), this.#change()]);
      else await (this.#random.chance(0.5) ? this.#change() : this.#call());
      this.#broken.push(...(await this.#judge()));
    }
    for (const call of this.#running.splice(0)) await call.end(5_000);
    this.#broken.push(...(await this.#judge()));
    const drift = await verifyLedger(this.#world.database.handle.db);
    return this.#broken[0] ?? (drift.length === 0 ? null : `F6: ${drift.map((one) => one.check).join(", ")}`);
  }

  async #change(): Promise<void> {
    const [one, other] = [this.#random.pick(this.#people), this.#random.pick(this.#people)];
    const moves = [
      () => this.#invite(one),
      () => this.#accept(one),
      () => this.#accept(one),
      () => this.#withdraw(),
      () => this.#family.request(one, "PUT", `/members/${other.id}/limits`, this.#limits()),
      () => this.#family.choose(one, { owner_pays: this.#random.chance(0.9) }),
    ];
    const ends = [
      () => this.#family.request(one, "DELETE", `/members/${other.id}`),
      () => this.#family.request(one, "DELETE"),
      () => this.#setStatus(one),
      () => this.#setStatus(one),
    ];
    await this.#random.pick<() => Promise<unknown>>(this.#random.chance(0.8) ? moves : ends)();
  }

  async #call(): Promise<void> {
    const one = this.#random.pick(this.#people);
    await this.#random.pick([
      () => this.#dial(one),
      () => this.#dial(one).then(() => this.#dial(one)),
      () => this.#dial(one).then(() => this.#dial(one)),
      () => this.#hangUp(),
      () => (this.#random.chance(0.3) ? this.#world.sweep() : this.#hangUp()),
      () => this.#addCredit(one),
    ])();
  }

  #limits() {
    const limits: MemberLimits = { daily_cap: this.#random.pick(CAPS), monthly_cap: this.#random.pick(CAPS) };
    return this.#family.limits(limits);
  }

  async #invite(owner: Customer): Promise<void> {
    const { status, body } = await this.#family.request(owner, "POST", "/invitations", { email: null, limits: this.#limits() });
    const known = new Set(this.#invitations.map(({ token }) => token));
    if (status !== 201) return;
    for (const { link } of body.family?.invitations ?? []) {
      const token = link.split("#t=")[1] ?? "";
      if (!known.has(token)) this.#invitations.push({ token, owner, accepted: 0, withdrawn: false });
    }
  }

  /** Any link that was ever made, by one person or by all at once. */
  async #accept(one: Customer): Promise<void> {
    if (this.#invitations.length === 0) return;
    const invitation = this.#random.pick(this.#random.chance(0.6) ? this.#invitations.slice(-1) : this.#invitations);
    const { withdrawn } = invitation;
    const guests = this.#random.chance(0.4) ? [one, ...this.#people] : [one];
    const answers = await Promise.all(
      guests.map((guest) => this.#family.accept(guest, invitation.token, { owner_pays: this.#random.chance(0.8) })),
    );
    for (const [index, { status }] of answers.entries()) {
      if (status >= 500) this.#broken.push(`F1: accepting answered ${status}`);
      if (status !== 200) continue;
      invitation.accepted += 1;
      if (withdrawn) this.#broken.push("F2: a link was accepted after it had been withdrawn");
      if (guests[index]?.id === invitation.owner.id) this.#broken.push("F2: an owner accepted their own link");
    }
    if (invitation.accepted > 1) this.#broken.push(`F2: one link was accepted ${invitation.accepted} times`);
  }

  async #withdraw(): Promise<void> {
    const invitation = this.#invitations.find((one) => !one.withdrawn);
    const { family } = invitation === undefined ? { family: null } : (await this.#family.request(invitation.owner, "GET")).body;
    const shown = family?.invitations.find(({ link }) => link.endsWith(invitation?.token ?? "-"));
    if (invitation === undefined || shown === undefined) return;
    const { status } = await this.#family.request(invitation.owner, "DELETE", `/invitations/${shown.id}`);
    invitation.withdrawn ||= status === 200;
  }

  async #setStatus({ id }: Customer): Promise<void> {
    const state = this.#random.pick([
      sql`status = 'active', closes_at = null`,
      sql`status = 'active', closes_at = null`,
      sql`status = 'frozen'`,
      sql`closes_at = now() + interval '7 days'`,
    ]);
    await sql`update customer set ${state} where id = ${id}`.execute(this.#world.database.handle.db);
  }

  /** Whose credit must pay is read before, because nothing else happens at the same moment. */
  async #dial(customer: Customer): Promise<void> {
    // The world's sessions do not read it, as those of the service do.
    if (!(await this.#isOpen(customer.id))) return;
    const { payer, room } = await this.#terms(customer.id);
    const isOpen = await this.#isOpen(payer);
    const { status, body } = await this.#world.request<InitiateResponse & ErrorBody>(customer, {
      method: "POST",
      path: "/api/calls/initiate",
      body: { destination_number: LONDON },
    });
    if (status !== 201) return;
    const { id } = body.call;
    const call = (await this.#calls()).find((one) => one.id === id);
    if (call?.payer !== payer) this.#broken.push(`F3: ${call?.payer} pays for a call that ${payer} should pay`);
    if (!isOpen) this.#broken.push("F3: a call on the credit of an account that is locked or closing");
    if (room !== null && (call?.held ?? 0n) > room)
      this.#broken.push(`F4: a call holds ${call?.held} of ${room} that the owner allows`);
    this.#running.push(await startRunningCall(this.#world, { customer, started: body }));
  }

  async #hangUp(): Promise<void> {
    await this.#running.shift()?.end(this.#random.pick([1_000, 5_000, 20_000]));
  }

  async #addCredit({ id }: Customer): Promise<void> {
    const key = `game:${crypto.randomUUID()}`;
    const posting = {
      key,
      customerId: id,
      kind: "test_credit",
      amountMicros: 500_000n,
      referenceId: null,
      description: "Test credit",
    } as const;
    await ledger.credit(this.#world.database.handle.db, posting);
    await extendByCredit(this.#world.ctx, id);
  }

  /** By the rows of the family, and the game's own sum of the member's calls. */
  async #terms(id: string): Promise<{ payer: string; room: bigint | null }> {
    const { rows } = await sql<{ owner: string; daily: bigint | null; monthly: bigint | null }>`
      select m.owner_id as owner, m.daily_cap_micros as daily, m.monthly_cap_micros as monthly
      from family_member m where m.customer_id = ${id} and m.owner_pays`.execute(this.#world.database.handle.db);
    const [member] = rows;
    if (member === undefined) return { payer: id, room: null };
    const mine = (await this.#calls()).filter(({ caller, payer }) => caller === id && payer === member.owner);
    const spent = mine.reduce((sum, { live, held, charged }) => sum + (live ? held : charged), 0n);
    const caps = [member.daily, member.monthly].filter((cap) => cap !== null);
    const room = caps.reduce<bigint | null>((low, cap) => (low === null || cap - spent < low ? cap - spent : low), null);
    return { payer: member.owner, room };
  }

  async #isOpen(id: string): Promise<boolean> {
    const { rows } = await sql<{ open: boolean }>`
      select status = 'active' and closes_at is null as open from customer where id = ${id}`.execute(
      this.#world.database.handle.db,
    );
    return rows[0]?.open === true;
  }

  async #calls(): Promise<CallNow[]> {
    const { rows } = await sql<CallNow>`
      select c.id, c.customer_id as caller, coalesce(c.payer_id, c.customer_id) as payer, h.amount_micros as held,
        c.charge_micros as charged, h.state = 'pending' as live
      from call c join hold h on h.id = c.id where c.customer_id = any (${this.#people.map(({ id }) => id)})`.execute(
      this.#world.database.handle.db,
    );
    return rows;
  }

  async #judge(): Promise<string[]> {
    const { db } = this.#world.database.handle;
    const ids = this.#people.map(({ id }) => id);
    const calls = await this.#calls();
    const broken: string[] = [];
    // In one statement, because credit that arrived may still extend a call.
    const { rows: accounts } = await sql<{ balance: bigint; held: bigint; holds: bigint }>`
      select a.balance_micros as balance, a.held_micros as held, coalesce(sum(h.amount_micros), 0)::bigint as holds
      from account a left join hold h on h.customer_id = a.customer_id and h.state = 'pending'
      where a.customer_id = any (${ids}) group by a.customer_id`.execute(db);
    for (const { balance, held, holds } of accounts)
      if (held !== holds || balance < held) broken.push(`F5: ${held} of ${balance} are held for calls that hold ${holds}`);
    for (const { id, held, charged } of calls) if (charged > held) broken.push(`F5: ${id} cost ${charged} of ${held}`);
    const { rows } = await sql<{ id: string; payer: string; caller: string; micros: bigint }>`
      select t.reference_id as id, t.customer_id as payer, coalesce(t.caller_id, t.customer_id) as caller, -e.amount_micros as micros
      from ledger_transaction t join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
      where t.kind = 'call' and t.customer_id = any (${ids})`.execute(db);
    for (const call of calls.filter(({ charged }) => charged > 0n)) {
      const posted = rows.filter(({ id }) => id === call.id);
      const [only] = posted;
      if (posted.length !== 1 || only?.payer !== call.payer || only.caller !== call.caller || only.micros !== call.charged)
        broken.push(`F5: the call ${call.id} was posted ${posted.length} times, not once to who pays`);
    }
    return broken;
  }
}
