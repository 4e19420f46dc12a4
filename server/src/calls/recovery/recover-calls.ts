import type { KeyList } from "@farline/contract/settings/setting.ts";
import { isFinal } from "@farline/domain/calls/call-state.ts";
import type { Telnyx } from "telnyx";
import { z } from "zod";
import { findCustomer } from "../../accounts/accounts.ts";
import { actingAs, type Context } from "../../context.ts";
import { createAppendEvent } from "../events/append-events.ts";
import { providerEvent } from "../events/call-event.ts";
import { legIdentityOf } from "../events/call-legs.ts";
import { readProviderEvent, type ProviderEvent } from "../events/read-provider-event.ts";
import { recordEvent, type SettlingContext } from "../events/record-event.ts";
import { saveGrownHold } from "../live/live-call.store.ts";
import { INITIAL_VALUES, type CallOrder } from "../record/call-columns.ts";
import { maxSecondsOf } from "../record/call-price.ts";
import { createCallSecrets, type CallSecrets } from "../record/call-secrets.ts";
import {
  findCallByLeg,
  holderOf,
  insertCalls,
  lockCall,
  updateCall,
  readOwing,
  sumCalls,
  type OwingCustomer,
} from "../record/call.store.ts";
import type { CallRow, Leg } from "../record/calls.tables.ts";
import { createSettleCall } from "../settle/settle-call.ts";
import { AppError } from "../../platform/app-error.ts";
import { isUnknown, providerError } from "../provider/telnyx-client.ts";

/** The voice provider, and the keys with which the service marks its far legs. */
export interface VoiceRecords {
  readonly telnyx: Telnyx;
  readonly apiKeys: KeyList<string>;
}

export interface RecoveredCalls {
  /** Calls that the database had forgotten, or knew as running. */
  readonly calls: number;
  /** How many of them are over now. */
  readonly settled: number;
  readonly chargedMicros: bigint;
  /** Forgotten calls of accounts that have not come back. They are not charged. */
  readonly withoutAccount: number;
  /** Their customers who now owe something. */
  readonly owing: readonly OwingCustomer[];
}

type Recovering = SettlingContext & Pick<Context, "handle" | "ledger" | "transaction"> & { readonly secrets: CallSecrets };

type Order = CallOrder & Pick<CallRow, "id">;

const EVENTS_A_PAGE = 100;

/** Guards against endless cursors: ten million events. */
const MAX_PAGES = 100_000;

const eventsPage = z.object({
  data: z.array(z.object({ metadata: z.unknown() })).default([]),
  meta: z.object({ cursors: z.object({ after: z.string().nullish() }).nullish() }).nullish(),
});

/**
 * Brings a restored database up to date with the calls that the voice provider remembers: writes forgotten calls again from the order in
 * their far leg's mark, and records all events since `from`. A call is charged once, however often this runs. What was spent without
 * credit becomes debt.
 * @returns null if this provider keeps no events
 * @throws AppError voice_provider_down, and errors of the database
 */
export async function recoverCalls(ctx: Context, provider: VoiceRecords, from: Date): Promise<RecoveredCalls | null> {
  const job = actingAs(ctx, { kind: "job" });
  const secrets = createCallSecrets(provider.apiKeys);
  const recovering = { ...job, secrets, appendEvent: createAppendEvent(job), settle: createSettleCall(job) };
  const found = new Map<string, Found>();
  const kept = await readCallEvents(provider.telnyx, from, async (events) => {
    for (const event of events) {
      const order = secrets.orderOfFarLeg(event.clientState);
      if (order !== null) found.set(order.id, await openAgain(recovering, order, found.get(order.id)));
    }
    await Promise.all(events.map((event) => record(recovering, event)));
  });
  if (!kept) return null;
  const idsOf = (state: Found) => [...found].flatMap(([id, one]) => (one === state ? [id] : []));
  const open = idsOf("open");
  const owing = await readOwing(ctx.handle.db, open);
  return { ...(await sumCalls(ctx.handle.db, open)), calls: open.length, withoutAccount: idsOf("no_account").length, owing };
}

/** What became of a call at its first event: it was `open` or forgotten, or was `settled` before. */
type Found = "open" | "settled" | "no_account";

/** Writes a call that the database has forgotten, or completes one that it knows as running. Locks the call, then the account. */
async function openAgain(ctx: Recovering, order: Order, before: Found | undefined): Promise<Found> {
  if (before === "settled" || before === "no_account") return before;
  return ctx.transaction(async (tx) => {
    const call = await lockCall(tx, order.id);
    if (call !== undefined && isFinal(call.status)) return before ?? "settled";
    const { id: holdId, held_micros: micros } = order;
    const hold = { holdId, ...holderOf(order), micros };
    if (call === undefined) {
      for (const one of [order.customer_id, hold.customerId])
        if ((await findCustomer(tx, one)) === undefined) return "no_account";
      const row = rowOfOrder(order, ctx.clock.now());
      if (!(await insertCalls(tx, [row])).has(holdId))
        throw new Error(`The ticket of the call ${holdId} belongs to another call.`);
      await ctx.ledger.holdSpent(tx, hold);
      return "open";
    }
    if (micros > call.held_micros) {
      await ctx.ledger.holdSpent(tx, hold);
      await saveGrownHold(tx, holdId, { heldMicros: micros, boundedBy: order.bounded_by, limitSeconds: maxSecondsOf(call) });
    }
    const { ticket_used_at, parked_call_control_id, parked_leg_id, session_id } = order;
    if (call.parked_call_control_id === null)
      await updateCall(tx, holdId, { ticket_used_at, parked_call_control_id, parked_leg_id, session_id });
    return "open";
  });
}

/** The row of a dialled call, as it was before any event of its far leg. */
export function rowOfOrder(order: Order, now: Date): CallRow {
  const unknown = { caller_session_id: null, idempotency_key: null, decided_by: null };
  return { ...INITIAL_VALUES, ...unknown, ...order, transferred_at: order.ticket_used_at, next_check_at: now };
}

/** Events of legs that belong to no call of ours are ignored. */
async function record(ctx: Recovering, event: ProviderEvent): Promise<void> {
  const marked = ctx.secrets.callOfFarLeg(event.clientState);
  const callId = marked ?? (await findCallByLeg(ctx.handle.db, event.callControlId))?.id;
  const leg: Leg = marked === null ? "parked" : "far";
  if (callId !== undefined) await recordEvent(ctx, callId, providerEvent(event, leg), legIdentityOf(event, leg));
}

/**
 * Reads the provider's events since `from`, of at most the last day, a page at a time. Our exchange gives larger pages than requested.
 * @returns false if this provider keeps no events
 * @throws AppError voice_provider_down
 */
async function readCallEvents(
  telnyx: Telnyx,
  from: Date,
  use: (events: readonly ProviderEvent[]) => Promise<void>,
): Promise<boolean> {
  let after: string | null = null;
  for (let count = 0; count < MAX_PAGES; count++) {
    const page = await readPage(telnyx, from, after);
    if (page === null) return false;
    await use(page.data.flatMap(({ metadata }) => readProviderEvent({ data: metadata }) ?? []));
    const next: string | null = page.meta?.cursors?.after ?? null;
    if (next === null || next === after) return true;
    after = next;
  }
  throw new Error(`The voice provider lists more than ${MAX_PAGES} pages of events.`);
}

async function readPage(telnyx: Telnyx, from: Date, after: string | null): Promise<z.output<typeof eventsPage> | null> {
  const query = {
    "filter[occurred_at][gte]": from.toISOString(),
    "filter[type]": "webhook",
    "page[limit]": EVENTS_A_PAGE,
    ...(after === null ? {} : { "page[after]": after }),
  };
  try {
    return eventsPage.parse(await telnyx.get<unknown>("/call_events", { query }));
  } catch (error) {
    if (error instanceof z.ZodError) throw error;
    const known = providerError(error);
    if (isUnknown(known)) return null;
    throw new AppError("voice_provider_down", { cause: known });
  }
}
