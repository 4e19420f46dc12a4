import { sql, type Updateable, type UpdateObject } from "kysely";
import type { DatabaseHandle, LockMode, Transaction, Tx } from "../../platform/database/database.ts";
import { executePrepared } from "../../platform/database/prepared.ts";
import type { Tables } from "../../platform/database/tables.ts";
import type { Destination } from "./destination.ts";
import { CALL_COLUMNS, INITIAL_VALUES, type CallTable } from "./call-columns.ts";
import type { CallEventRow, CallRow, Leg } from "./calls.tables.ts";

/** Events read per call, far more than real calls have. Bounds the work of a settlement. */
const MAX_EVENTS = 500;

/** The account that pays for a call. */
export const payerOf = sql<string>`coalesce(call.payer_id, call.customer_id)`;

/** Calls that the account pays: its customer's own, and those of a family's members. */
export function isPaidBy(customerId: string) {
  return sql<boolean>`(call.customer_id = ${customerId} and call.payer_id is null or call.payer_id = ${customerId})`;
}

/** Whose credit a call holds, and who calls on it if that is somebody else. */
export function holderOf(call: Pick<CallRow, "customer_id" | "payer_id">): { customerId: string; callerId: string | null } {
  return call.payer_id === null
    ? { customerId: call.customer_id, callerId: null }
    : { customerId: call.payer_id, callerId: call.customer_id };
}

/** A call's row before the decision. */
export type CallDraft = Omit<CallRow, "cap_seconds" | "held_micros" | "bounded_by" | "decided_by">;

/** The provider's identifiers of a leg, and the numbers in its event. */
export interface LegIdentity {
  leg: Leg;
  callControlId: string;
  legId: string | null;
  sessionId: string | null;
  /** E.164; null if the event does not contain it. */
  to: string | null;
  /** The caller id, E.164; null if the event does not prove it. */
  shown: string | null;
}

/** Builds a new call's row. */
export function draftCall(of: {
  id: string;
  customerId: string;
  payerId: string | null;
  sessionId: string | null;
  idempotencyKey: string | null;
  destination: Destination;
  /** E.164, shown to the called person. */
  callerNumber: string;
  createdAt: Date;
  ticketHash: Buffer;
  ticketExpiresAt: Date;
}): CallDraft {
  const { quote, e164, priceClass } = of.destination;
  return {
    ...INITIAL_VALUES,
    id: of.id,
    customer_id: of.customerId,
    payer_id: of.payerId,
    caller_session_id: of.sessionId,
    destination: e164,
    country_code: quote.countryCode,
    number_type: quote.numberType,
    idempotency_key: of.idempotencyKey,
    rate_prefix: quote.prefix,
    rate_description: quote.description,
    rate_per_minute_micros: quote.ratePerMinuteMicros,
    price_class: priceClass,
    first_interval_seconds: quote.firstIntervalSeconds,
    next_interval_seconds: quote.nextIntervalSeconds,
    deck_id: quote.deckId,
    deck_effective_at: quote.deckEffectiveAt,
    ticket_hash: of.ticketHash,
    ticket_expires_at: of.ticketExpiresAt,
    created_at: of.createdAt,
    caller_number: of.callerNumber,
    next_check_at: of.ticketExpiresAt,
  };
}

/**
 * Inserts new calls, except those whose ticket belongs to another call or whose session has ended. The same transaction must write their holds.
 * @returns the ids of the inserted calls
 */
export async function insertCalls(tx: Transaction, calls: readonly CallRow[]): Promise<ReadonlySet<string>> {
  const [first] = calls;
  if (first === undefined) return new Set();
  // Columns are listed explicitly, so that columns added by a later release get their defaults.
  const columns = sql.join(Object.keys(first).map((name) => sql.ref(name)));
  // In a fixed order, so that two transactions that insert the same tickets cannot deadlock.
  const rows = toJsonRows(calls.toSorted((one, other) => Buffer.compare(one.ticket_hash, other.ticket_hash)));
  const query = sql<{ id: string }>`
    insert into call (${columns}) select ${columns} from json_populate_recordset(null::call, ${rows})
    where not has_session_ended(caller_session_id)
    on conflict (ticket_hash) do nothing returning id`;
  const inserted = await executePrepared(tx, "insert_calls", query);
  return new Set(inserted.map(({ id }) => id));
}

const FINAL = [
  "status",
  "end_reason",
  "hung_up_by",
  "answered_at",
  "ended_at",
  "duration_ms",
  "billed_seconds",
  "charge_micros",
  "silent_ms",
  "forgiven_micros",
  "next_check_at",
] as const;

/** The final record of a call. */
export type FinalRecord = Pick<CallRow, "id" | (typeof FINAL)[number]>;

/** Writes calls' final records. The transaction must have locked the calls. */
export async function closeCalls(tx: Transaction, records: readonly FinalRecord[]): Promise<void> {
  if (records.length === 0) return;
  const query = sql`
    update call c set ${sql.join(FINAL.map((name) => sql`${sql.ref(name)} = ${sql.ref(`f.${name}`)}`))}
    from json_populate_recordset(null::call, ${toJsonRows(records)}) f where c.id = f.id`;
  await executePrepared(tx, "close_calls", query);
}

/** Rows as JSON for PostgreSQL's `json_populate_recordset`, without null columns. */
function toJsonRows(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const toJson = (value: unknown) => {
    if (typeof value === "bigint") return String(value);
    return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value;
  };
  const known = (row: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(row).flatMap(([name, value]) => (value === null ? [] : [[name, toJson(value)]])));
  return JSON.stringify(rows.map(known));
}

/**
 * Redeems a ticket for a parked leg and writes the leg's first event in one statement, so that only one of two legs with the same
 * ticket succeeds. Null if the ticket is not valid for this leg.
 */
export async function redeemTicket(
  { db }: DatabaseHandle,
  r: {
    ticketHash: Buffer;
    now: Date;
    /** Includes the number that the leg dialled, which must be the call's. */
    identity: LegIdentity;
    /** Possible SIP users of the leg. A known one must belong to the call's customer. */
    senders: readonly string[];
    event: { id: string; occurredAt: Date; payload: Record<string, unknown> };
    nextCheckAt: Date;
  },
): Promise<CallRow | null> {
  const { identity, event, now } = r;
  const query = sql<CallRow>`with redeemed as (
      update call set ticket_used_at = ${now}, parked_call_control_id = ${identity.callControlId}, parked_leg_id = ${identity.legId},
        session_id = ${identity.sessionId}, last_seen_alive_at = ${now}, next_check_at = ${r.nextCheckAt}
      where ticket_hash = ${r.ticketHash} and ticket_used_at is null and status = 'initiated' and ticket_expires_at > ${now}
        and destination = ${identity.to}
        and not exists (select from customer c where c.id in (call.customer_id, call.payer_id) and c.status <> 'active')
        and not exists (select from voice_credential v where v.sip_username = any(${r.senders}) and v.customer_id <> call.customer_id)
        and not has_session_ended(call.caller_session_id)
      returning *
    ), noted as (
      insert into call_event (id, call_id, source, kind, leg, occurred_at, received_at, payload)
      select ${event.id}, id, 'provider', 'initiated', 'parked', ${event.occurredAt}, ${now}, ${JSON.stringify(event.payload)}
        from redeemed
      on conflict (id) do nothing
    )
    select * from redeemed`;
  // Not prepared: a prepared `*` fails on every connection once a migration adds a column.
  const { rows } = await db.executeQuery(query.compile(db));
  return rows[0] ?? null;
}

export async function findCallByTicket(tx: Tx, hash: Buffer): Promise<CallRow | undefined> {
  return tx.selectFrom("call").selectAll().where("ticket_hash", "=", hash).executeTakeFirst();
}

/** Finds a call by either leg's id, never by session: an attacker who controls a parked leg can add legs to its session. */
export async function findCallByLeg(tx: Tx, callControlId: string): Promise<CallRow | undefined> {
  return tx
    .selectFrom("call")
    .selectAll()
    .where((eb) => eb.or([eb("parked_call_control_id", "=", callControlId), eb("far_call_control_id", "=", callControlId)]))
    .limit(1)
    .executeTakeFirst();
}

/** The call whose parked leg is in this session. */
export async function findCallBySession(tx: Tx, sessionId: string): Promise<CallRow | undefined> {
  return tx.selectFrom("call").selectAll().where("session_id", "=", sessionId).limit(1).executeTakeFirst();
}

export async function findCallById(tx: Tx, id: string): Promise<CallRow | undefined> {
  return tx.selectFrom("call").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Finds only the customer's own calls. */
export async function findCallOf(tx: Tx, customerId: string, id: string): Promise<CallRow | undefined> {
  return tx.selectFrom("call").selectAll().where("id", "=", id).where("customer_id", "=", customerId).executeTakeFirst();
}

export async function lockCall(tx: Transaction, id: string): Promise<CallRow | undefined> {
  return tx.selectFrom("call").selectAll().where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
}

/** Locks calls; `skip` leaves out calls that are already locked. */
export async function lockCalls(tx: Transaction, ids: readonly string[], lock: LockMode): Promise<CallRow[]> {
  const query = tx.selectFrom("call").selectAll().where("id", "in", ids).forNoKeyUpdate();
  return (lock === "skip" ? query.skipLocked() : query).execute();
}

/** Locks calls and the accounts that pay for them; `skip` leaves out those that are already locked. */
export async function lockCallsAndAccounts(tx: Transaction, ids: readonly string[], lock: LockMode): Promise<CallRow[]> {
  const query = sql<CallRow>`select ${sql.join(CALL_COLUMNS.map((name) => sql.ref(`call.${name}`)))}
    from call join account on account.customer_id = ${payerOf}
    where call.id = any(${ids}) for no key update ${sql.raw(lock === "skip" ? "skip locked" : "")}`;
  return executePrepared(tx, `lock_calls_and_accounts_${lock}`, query);
}

export type CallChanges = Updateable<CallTable>;

export async function updateCall(tx: Tx, id: string, changes: CallChanges): Promise<CallRow> {
  return tx.updateTable("call").set(changes).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

export async function insertEvents(tx: Tx, events: readonly CallEventRow[]): Promise<void> {
  await tx
    .insertInto("call_event")
    .values(events.map((event) => ({ ...event, payload: JSON.stringify(event.payload) })))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

export async function readEvents(tx: Tx, callId: string): Promise<CallEventRow[]> {
  return tx.selectFrom("call_event").selectAll().where("call_id", "=", callId).orderBy("received_at").limit(MAX_EVENTS).execute();
}

export async function markTransferred(
  tx: Tx,
  id: string,
  by: { at: Date; providerSeconds: number; extendable: boolean },
): Promise<void> {
  await tx
    .updateTable("call")
    .set({ transferred_at: by.at, provider_seconds: by.providerSeconds, extendable: by.extendable })
    .where("id", "=", id)
    .execute();
}

/** Changes a call unless it has ended. */
async function updateLiveCall(tx: Tx, id: string, changes: UpdateObject<Tables, "call">): Promise<void> {
  await tx.updateTable("call").set(changes).where("id", "=", id).where("ended_at", "is", null).execute();
}

/** Marks the call's legs to be hung up. The sweeper repeats the command until they have ended. */
export function requestHangUp(tx: Tx, id: string, at: Date, nextCheckAt: Date): Promise<void> {
  const requestedAt = sql<Date>`coalesce(hangup_requested_at, ${at})`;
  return updateLiveCall(tx, id, { hangup_requested_at: requestedAt, next_check_at: nextCheckAt });
}

export function markAlive(tx: Tx, id: string, at: Date): Promise<void> {
  return updateLiveCall(tx, id, { last_seen_alive_at: at, not_alive_since: null });
}

/** Stores how often in a row the provider did not answer about the call. */
export function storeUnreachableChecks(tx: Tx, id: string, checks: number): Promise<void> {
  return updateLiveCall(tx, id, { unreachable_checks: checks });
}

/** Stores when the provider first reported a leg as not alive. */
export function markNotAlive(tx: Tx, id: string, at: Date, nextCheckAt: Date): Promise<void> {
  return updateLiveCall(tx, id, { not_alive_since: sql<Date>`coalesce(not_alive_since, ${at})`, next_check_at: nextCheckAt });
}

/** The customer's newest live call. */
export async function findLiveCall(tx: Tx, customerId: string): Promise<CallRow | undefined> {
  return tx
    .selectFrom("call")
    .selectAll()
    .where("customer_id", "=", customerId)
    .where("ended_at", "is", null)
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Claims calls that are due for a check, so that no other sweeper checks them before `nextCheckAt`. */
export async function claimDueCalls(tx: Tx, now: Date, nextCheckAt: Date, limit: number): Promise<CallRow[]> {
  return tx
    .updateTable("call")
    .set({ next_check_at: nextCheckAt })
    .where("id", "in", (eb) =>
      eb
        .selectFrom("call")
        .select("id")
        .where("ended_at", "is", null)
        .where("next_check_at", "<=", now)
        .orderBy("next_check_at")
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute();
}

export async function saveClientHints(
  tx: Tx,
  id: string,
  hints: { client_leg_id?: string; client_session_id?: string; client_call_id?: string },
): Promise<CallRow> {
  return tx.updateTable("call").set(hints).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

/** The customer's sessions with a running call. */
export async function findSessionsInCall(tx: Tx, customerId: string): Promise<ReadonlySet<string>> {
  const calls = await tx
    .selectFrom("call")
    .select("caller_session_id")
    .where("customer_id", "=", customerId)
    .where("ended_at", "is", null)
    .where("caller_session_id", "is not", null)
    .execute();
  return new Set(calls.map(({ caller_session_id: id }) => id).filter((id) => id !== null));
}

/** From now on the call belongs to this session. */
export async function giveCallTo(tx: Tx, id: string, sessionId: string): Promise<void> {
  await tx.updateTable("call").set({ caller_session_id: sessionId }).where("id", "=", id).execute();
}

/** Whether a session's calls must end (see `has_session_ended`). */
export async function hasSessionEnded(tx: Tx, sessionId: string): Promise<boolean> {
  const { rows } = await sql<{ ended: boolean }>`select has_session_ended(${sessionId}) as ended`.execute(tx);
  return rows[0]?.ended === true;
}

export interface OwingCustomer {
  readonly customerId: string;
  readonly debtMicros: bigint;
}

/** How many of these calls are over, and what they cost. */
export async function sumCalls(tx: Tx, ids: readonly string[]): Promise<{ settled: number; chargedMicros: bigint }> {
  const { rows } = await sql<{ settled: number; charged: bigint }>`
    select count(*)::int as settled, coalesce(sum(charge_micros), 0)::bigint as charged
    from call where id = any(${ids}) and ended_at is not null`.execute(tx);
  return { settled: rows[0]?.settled ?? 0, chargedMicros: rows[0]?.charged ?? 0n };
}

/** The customers who pay for these calls and have debt. */
export async function readOwing(tx: Tx, ids: readonly string[]): Promise<OwingCustomer[]> {
  const { rows } = await sql<OwingCustomer>`
    select customer_id as "customerId", debt_micros as "debtMicros" from account
    where debt_micros > 0 and customer_id in (select ${payerOf} from call where id = any(${ids}))
    order by customer_id`.execute(tx);
  return rows;
}
