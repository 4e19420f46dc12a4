import { type AttemptOutcome, DECISION_INPUTS, type DecisionInput, decisionBound } from "@farline/contract/operator/calls.ts";
import { callStatus, endReason, hungUpBy } from "@farline/contract/calls.ts";
import { rateToDecimalString, toDecimalString } from "@farline/domain/money.ts";
import type { ColumnType } from "kysely";
import { z } from "zod";

/** The inputs of a call's decision, in the order of `DECISION_INPUTS`. Amounts are decimal text. */
export type DecisionInputs = readonly (string | number | null)[];
export type NamedInputs = Record<DecisionInput, string | number | null>;

/** The inputs by name; null for a call that was written again after a restore. */
export function namedInputs({ decided_by: values }: { readonly decided_by: DecisionInputs | null }): NamedInputs | null {
  if (values === null) return null;
  return Object.fromEntries(DECISION_INPUTS.map((name, index) => [name, values[index] ?? null])) as NamedInputs;
}

/** An attempt over one trunk, as reported by our exchange. */
export interface TrunkAttempt {
  trunk: string;
  started_at: string;
  /** Time until its outcome was known. */
  duration_ms: number;
  /** Until the first ringing or answer; null without either. */
  post_dial_delay_ms: number | null;
  /** Null without a final response. */
  sip_status: number | null;
  q850_cause: number | null;
  outcome: AttemptOutcome;
}

const text = z.string().min(1).max(500);
const moment = z.codec(z.iso.datetime(), z.date(), {
  decode: (iso) => new Date(iso),
  encode: (date) => date.toISOString(),
});
const amount = () => z.codec(z.string().regex(/^\d{1,18}$/), z.bigint(), { decode: BigInt, encode: String });
const micros = amount();
const rate = amount();
const bytes = z.codec(z.base64url(), z.instanceof(Buffer), {
  decode: (encoded) => Buffer.from(encoded, "base64url"),
  encode: (buffer) => buffer.toString("base64url"),
});

/** What follows from a column. */
interface Facts {
  /**
   * Its name in what the caller, the owner of the caller's family and operators see; operators see the price and the decision in
   * tables of their own.
   */
  readonly caller?: string;
  readonly owner?: string;
  readonly operator?: string;
  readonly price?: string;
  readonly decision?: string;
  /** Whether the copy of the customer's data includes it. */
  readonly copied?: true;
  /** Its value after the customer's erasure, as SQL, if it identifies them. */
  readonly erased?: string;
  /**
   * Whether the mark of the call's far leg carries it, so that a call that a restored database has forgotten is written again with it. One
   * that is added must be optional, because the marks of running calls lack it.
   */
  readonly inOrder?: true;
}

/** Written with the call, and never changed. */
function fixed<Type extends z.ZodType, const Given extends Facts>(type: Type, facts: Given) {
  return { type, ...facts, changes: false as const };
}

/** Written with the call, and changed later. */
function given<Type extends z.ZodType, const Given extends Facts>(type: Type, facts: Given) {
  return { type, ...facts, changes: true as const };
}

/** Has the table's default until it changes. */
function first<Type extends z.ZodType, const Given extends Facts>(value: z.output<Type>, type: Type, facts: Given) {
  return { type, ...facts, changes: true as const, initial: value };
}

/** Null until it is known. */
function later<Type extends z.ZodType, const Given extends Facts>(type: Type, facts: Given) {
  return first(null, type.nullable(), facts);
}

/**
 * Every column of `call`. The table's type, a new call's row, the order from which a forgotten call is written again, the copy and the
 * erasure of personal data, and what people see of a call follow from it. `001.do.baseline.sql` says what each is for.
 */
const COLUMNS = {
  id: fixed(z.uuid(), { caller: "id", owner: "id", operator: "id", copied: true }),
  customer_id: fixed(z.uuid(), { operator: "customer_id", inOrder: true }),
  payer_id: fixed(z.uuid().nullable(), { operator: "payer_id", inOrder: true }),
  caller_session_id: given(z.uuid().nullable(), { erased: "null" }),
  destination: fixed(text, {
    caller: "destination_number",
    owner: "destination_number",
    operator: "destination",
    copied: true,
    inOrder: true,
  }),
  country_code: fixed(text, {
    caller: "destination_country",
    owner: "country_code",
    operator: "country_code",
    copied: true,
    inOrder: true,
  }),
  number_type: fixed(text, { operator: "number_type", copied: true, inOrder: true }),
  status: first("initiated", callStatus, { caller: "status", operator: "status", copied: true }),
  end_reason: later(endReason, { caller: "end_reason", operator: "end_reason", copied: true }),
  hung_up_by: later(hungUpBy, { caller: "hung_up_by", operator: "hung_up_by", copied: true }),
  idempotency_key: fixed(text.nullable(), { erased: "null" }),
  rate_prefix: fixed(text, { caller: "rate_prefix", price: "prefix", copied: true, inOrder: true }),
  rate_description: fixed(text, { caller: "rate_description", price: "description", copied: true, inOrder: true }),
  rate_per_minute_micros: fixed(rate, { caller: "rate_per_minute", price: "rate_per_minute", copied: true, inOrder: true }),
  price_class: fixed(z.enum(["A", "B", "C"]), { price: "price_class", inOrder: true }),
  first_interval_seconds: fixed(z.int(), { caller: "first_interval_s", price: "first_interval_s", copied: true, inOrder: true }),
  next_interval_seconds: fixed(z.int(), { caller: "next_interval_s", price: "next_interval_s", copied: true, inOrder: true }),
  deck_id: fixed(z.uuid(), { caller: "deck_id", price: "deck_id", copied: true, inOrder: true }),
  deck_effective_at: fixed(moment, { caller: "deck_effective_at", price: "deck_effective_at", copied: true, inOrder: true }),
  held_micros: given(micros, { caller: "held", decision: "held", copied: true, inOrder: true }),
  cap_seconds: fixed(z.int(), { decision: "cap_seconds", copied: true, inOrder: true }),
  bounded_by: given(decisionBound, { decision: "bounded_by", copied: true, inOrder: true }),
  decided_by: fixed(z.custom<DecisionInputs>().nullable(), {}),
  limit_seconds: later(z.int(), { decision: "limit_seconds" }),
  provider_seconds: later(z.int(), { decision: "provider_seconds" }),
  extendable: first(true, z.boolean(), { caller: "extendable" }),
  ends_at: later(moment, {}),
  warned_seconds: later(z.literal([60, 15]), {}),
  ticket_hash: fixed(bytes, { inOrder: true }),
  ticket_expires_at: fixed(moment, { inOrder: true }),
  ticket_used_at: later(moment, { inOrder: true }),
  parked_call_control_id: later(text, { caller: "telnyx_call_control_id", copied: true, inOrder: true }),
  parked_leg_id: later(text, { copied: true, inOrder: true }),
  session_id: later(text, { inOrder: true }),
  far_call_control_id: later(text, { copied: true }),
  far_leg_id: later(text, { copied: true }),
  transferred_at: later(moment, {}),
  client_leg_id: later(text, { erased: "null" }),
  client_session_id: later(text, { erased: "null" }),
  client_call_id: later(text, { erased: "null" }),
  created_at: fixed(moment, {
    caller: "created_at",
    owner: "created_at",
    operator: "created_at",
    copied: true,
    inOrder: true,
  }),
  started_at: later(moment, { caller: "started_at", operator: "started_at", copied: true }),
  answered_at: later(moment, { caller: "answered_at", operator: "answered_at", copied: true }),
  ended_at: later(moment, { caller: "ended_at", operator: "ended_at", copied: true }),
  duration_ms: first(0, z.int(), { operator: "duration_ms", copied: true }),
  billed_seconds: first(0, z.int(), { caller: "billed_seconds", operator: "billed_seconds", copied: true }),
  charge_micros: first(0n, micros, { caller: "cost", owner: "cost", operator: "charge", copied: true }),
  silent_ms: first(0, z.int(), { operator: "silent_ms", copied: true }),
  forgiven_micros: later(micros, { copied: true }),
  carrier_cost_micros: later(micros, { caller: "telnyx_cost" }),
  trunk: later(text, {}),
  trunk_attempts: later(z.custom<TrunkAttempt[]>(), {}),
  caller_number: given(text.nullable(), {
    caller: "caller_number",
    operator: "caller_number",
    copied: true,
    erased: "null",
    inOrder: true,
  }),
  hangup_requested_at: later(moment, {}),
  hang_up_at: later(moment, {}),
  left_page: later(z.uuid(), {}),
  last_seen_alive_at: later(moment, { operator: "last_seen_alive_at" }),
  not_alive_since: later(moment, {}),
  unreachable_checks: first(0, z.int(), {}),
  next_check_at: given(moment.nullable(), {}),
} as const;

type Columns = typeof COLUMNS;
type Name = keyof Columns;
type Value<Column extends Name> = z.output<Columns[Column]["type"]>;
type Named<Having> = { [Column in Name]: Columns[Column] extends Having ? Column : never }[Name];
/** A list is written as JSON. */
type Written<Given> = Given extends readonly unknown[] ? string : Given;

export type CallTable = {
  [Column in Name]: ColumnType<
    Value<Column>,
    never,
    Columns[Column] extends { readonly changes: true } ? Written<Value<Column>> : never
  >;
};

type CallRow = { [Column in Name]: Value<Column> };

const columns = Object.entries(COLUMNS) as [Name, { readonly type: z.ZodType; readonly initial?: unknown } & Facts][];

/** The columns by name: a prepared statement that asks for `*` fails once a migration adds one. */
export const CALL_COLUMNS = columns.map(([name]) => name);

/** The columns that nobody gives when a call is written. */
export const INITIAL_VALUES = Object.fromEntries(
  columns.flatMap(([name, column]) => ("initial" in column ? [[name, column.initial]] : [])),
) as Pick<CallRow, Named<{ readonly initial: unknown }>>;

/** What of a call's row its order carries. */
export const callOrder = z.object(
  Object.fromEntries(columns.flatMap(([name, { inOrder, type }]) => (inOrder ? [[name, type]] : []))) as {
    [Column in Named<{ readonly inOrder: true }>]: Columns[Column]["type"];
  },
);

export type CallOrder = Readonly<z.output<typeof callOrder>>;

/** The columns in the copy of a customer's data, those left out, and the values of those that an erasure clears. */
export const PERSONAL_CALL_COLUMNS = {
  copied: columns.flatMap(([name, { copied }]) => (copied ? [name] : [])),
  withheld: columns.flatMap(([name, { copied }]) => (copied ? [] : [name])),
  cleared: Object.fromEntries(columns.flatMap(([name, { erased }]) => (erased === undefined ? [] : [[name, erased]]))),
};

type Viewer = "caller" | "owner" | "operator" | "price" | "decision";
type Shown<Of> = Of extends Date | bigint ? string : Of;
type Seen<By extends Viewer> = {
  [
    Column in Named<{ readonly [Who in By]: string }> as Columns[Column] extends {
      readonly [Who in By]: infer Shown extends string;
    }
      ? Shown
      : never
  ]: Shown<Value<Column>>;
};

/** The columns as they are seen: amounts in dollars, times in ISO 8601. */
export function seenBy<By extends Viewer>(viewer: By, call: Pick<CallRow, Named<{ readonly [Who in By]: string }>>): Seen<By> {
  const row = call as Partial<CallRow>;
  return Object.fromEntries(
    columns.flatMap(([name, column]) => (column[viewer] === undefined ? [] : [[column[viewer], shown(row[name], column.type)]])),
  ) as Seen<By>;
}

function shown(value: unknown, type: z.ZodType): unknown {
  if (typeof value === "bigint") return type === rate ? rateToDecimalString(value) : toDecimalString(value);
  return value instanceof Date ? value.toISOString() : value;
}
