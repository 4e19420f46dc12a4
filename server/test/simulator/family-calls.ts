import { sql } from "kysely";
import { createBatchedAuthorise } from "../../src/calls/authorise/authorise-batch.ts";
import { createSettleCall } from "../../src/calls/settle/settle-call.ts";
import type { DatabaseHandle } from "../../src/platform/database/database.ts";
import { authoriseRequest } from "../draft-call.ts";
import { testContext } from "../test-context.ts";
import type { Random } from "./random.ts";

const RATE = { ratePerMinuteMicros: 150_000n, firstIntervalSeconds: 1, nextIntervalSeconds: 1 };
/** What each member may spend a day and in a month. */
const DAILY_MICROS = 1_000_000n;
const MONTHLY_MICROS = 3_000_000n;

interface FamilyCall {
  readonly id: string;
  readonly memberId: string;
  readonly ownerId: string;
  /** UTC. */
  readonly day: string;
  readonly micros: bigint;
}

/** The player's accounts join and leave families and call on their owners' credit. Keeps its own count of these calls. */
export class FamilyCalls {
  readonly #handle: DatabaseHandle;
  readonly #random: Random;
  readonly #calls: FamilyCall[] = [];

  constructor(handle: DatabaseHandle, random: Random) {
    this.#handle = handle;
    this.#random = random;
  }

  /** No effect for an account that is in a family already. */
  async join(ownerId: string, memberId: string): Promise<void> {
    if (ownerId === memberId) return;
    await sql`insert into family_member (customer_id, owner_id, joined_at) values (${ownerId}, ${ownerId}, now())
      on conflict do nothing`.execute(this.#handle.db);
    await sql`insert into family_member (customer_id, owner_id, joined_at, owner_pays, daily_cap_micros, monthly_cap_micros)
      select ${memberId}, customer_id, now(), true, ${DAILY_MICROS}, ${MONTHLY_MICROS} from family_member
      where customer_id = ${ownerId} and owner_id = ${ownerId} on conflict do nothing`.execute(this.#handle.db);
  }

  /** A member leaves, or an owner ends the family. */
  async leave(id: string): Promise<void> {
    await sql`delete from family_member where customer_id = ${id}`.execute(this.#handle.db);
  }

  /** @returns the call and its charge; null without a family, or if it was refused */
  async make(memberId: string, at: Date): Promise<{ id: string; chargeMicros: bigint } | null> {
    const { rows } = await sql<{ id: string; frozen: boolean }>`select c.id, c.status <> 'active' as frozen
      from family_member m join customer c on c.id = m.owner_id where m.customer_id = ${memberId} and m.owner_pays`.execute(
      this.#handle.db,
    );
    const [owner] = rows;
    if (owner === undefined) return null;
    const ctx = testContext({ handle: this.#handle });
    const proposed = { limits: null, payerIsFrozen: owner.frozen };
    const { call } = await createBatchedAuthorise(ctx)(
      authoriseRequest(memberId, { at, payerId: owner.id, rate: RATE, proposed }),
    );
    if (call === undefined) return null;
    if (this.#random.chance(0.2)) await this.leave(this.#random.pick([memberId, owner.id]));
    const durationMs = this.#random.pick([0, 60_000, 900_000]);
    const end = { atMs: at.getTime(), reason: "hangup" as const, hungUpBy: null, durationMs, silence: null };
    const answered = durationMs > 0;
    const settled = await createSettleCall(ctx)(call, {
      status: answered ? "completed" : "failed",
      startedAtMs: end.atMs - durationMs,
      answeredAtMs: answered ? end.atMs - durationMs : null,
      end: answered ? end : { ...end, reason: "no_answer" },
      needsProof: false,
      carrierCostMicros: null,
    });
    const day = at.toISOString().slice(0, 10);
    this.#calls.push({ id: call.id, memberId, ownerId: owner.id, day, micros: settled.charge_micros });
    return { id: call.id, chargeMicros: settled.charge_micros };
  }

  /** @returns the broken rule, or null */
  async rule(): Promise<string | null> {
    for (const [length, cap] of [[10, DAILY_MICROS] as const, [7, MONTHLY_MICROS] as const])
      for (const one of this.#calls) {
        const isSame = (other: FamilyCall) =>
          other.memberId === one.memberId &&
          other.ownerId === one.ownerId &&
          other.day.slice(0, length) === one.day.slice(0, length);
        const spent = this.#calls.filter(isSame).reduce((sum, { micros }) => sum + micros, 0n);
        if (spent > cap) return `G5: a member spent ${spent} of ${cap} micro-dollars`;
      }
    return this.#postings();
  }

  /** Each charge must be the owner's, and name the member. */
  async #postings(): Promise<string | null> {
    const { rows } = await sql<{ id: string; payer: string; caller: string | null; micros: bigint }>`
      select t.reference_id as id, t.customer_id as payer, t.caller_id as caller, -e.amount_micros as micros
      from ledger_transaction t join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
      where t.kind = 'call' and t.reference_id = any (${this.#calls.map(({ id }) => id)})`.execute(this.#handle.db);
    for (const { id, memberId, ownerId, micros } of this.#calls.filter((call) => call.micros > 0n)) {
      const posted = rows.filter((row) => row.id === id);
      const [only] = posted;
      if (posted.length !== 1 || only?.payer !== ownerId || only.caller !== memberId || only.micros !== micros)
        return `G5: the call ${id} of ${micros} was posted as ${JSON.stringify(posted, (_, value) => (typeof value === "bigint" ? String(value) : value))}`;
    }
    return null;
  }
}
