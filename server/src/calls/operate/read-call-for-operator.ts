import { eventDetails, type OperatorCallResponse } from "@farline/contract/operator/calls.ts";
import { hasRight } from "@farline/contract/operator/rights.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { loggable } from "@farline/domain/mask-personal.ts";
import { findCustomer } from "../../accounts/accounts.ts";
import type { OperatorContext } from "../../context.ts";
import { findEventArchive } from "../events/archive-events.ts";
import { AppError } from "../../platform/app-error.ts";
import { readCallSound } from "../details/quality.store.ts";
import { presentEntry } from "../details/read-details.ts";
import { namedInputs, seenBy } from "../record/call-columns.ts";
import { findCallById, readEvents } from "../record/call.store.ts";
import type { CallRow, CallEventRow } from "../record/calls.tables.ts";

const MAX_CHARACTERS = 60;

/**
 * A call as operators see it: what was decided and by what, every event, both legs, the attempts by trunk, the hold with its postings,
 * the sound, and, for roles that may see costs, what it earned.
 * @throws AppError not_found, also for malformed ids
 */
export async function readCallForOperator(ctx: OperatorContext, query: { readonly call: string }): Promise<OperatorCallResponse> {
  const { db } = ctx.handle;
  const call = isUuid(query.call) ? await findCallById(db, query.call) : undefined;
  if (call === undefined) throw new AppError("not_found", { reason: "operator.no_call", params: { call: query.call } });
  const [customer, payer, events, archive, hold, entries, quality] = await Promise.all([
    findCustomer(db, call.customer_id),
    call.payer_id === null ? null : findCustomer(db, call.payer_id),
    readEvents(db, call.id),
    findEventArchive(db, call.id),
    ctx.ledger.readHold(db, call.id),
    ctx.ledger.callEntries(db, call.payer_id ?? call.customer_id, call.id),
    readCallSound(db, call.id),
  ]);
  const mayReadCosts = hasRight(ctx.actor.role, "read-costs");
  const inOrder = events.toSorted((a, b) => a.occurred_at.getTime() - b.occurred_at.getTime());
  return {
    call: { ...seenBy("operator", call), email: customer?.email ?? "", payer_email: payer?.email ?? null },
    price: seenBy("price", call),
    decision: { ...seenBy("decision", call), inputs: namedInputs(call) },
    legs: presentLegs(call),
    session_id: call.session_id,
    trunk: call.trunk,
    attempts: call.trunk_attempts ?? [],
    hold: hold === undefined ? null : presentHold(hold),
    postings: entries.map(presentEntry),
    events_archived_in: archive,
    ladder: inOrder.map((event) => presentEvent(event, mayReadCosts)),
    quality,
    ...(mayReadCosts ? presentEarnings(call) : { cost: null, margin: null }),
  };
}

function presentLegs(call: CallRow): OperatorCallResponse["legs"] {
  const legs = [
    { leg: "parked" as const, control_id: call.parked_call_control_id, leg_id: call.parked_leg_id },
    { leg: "far" as const, control_id: call.far_call_control_id, leg_id: call.far_leg_id },
  ];
  return legs.flatMap(({ control_id: controlId, ...leg }) => (controlId === null ? [] : [{ ...leg, control_id: controlId }]));
}

function presentHold(
  hold: NonNullable<Awaited<ReturnType<OperatorContext["ledger"]["readHold"]>>>,
): NonNullable<OperatorCallResponse["hold"]> {
  const { state, amount_micros: amount, posted_micros: posted, created_at: createdAt, resolved_at: resolvedAt } = hold;
  return {
    state,
    amount: toDecimalString(amount),
    posted: posted === null ? null : toDecimalString(posted),
    created_at: createdAt.toISOString(),
    resolved_at: resolvedAt?.toISOString() ?? null,
  };
}

/** The margin is the charge minus the carrier's cost; null during the call, or if the cost is unknown. */
function presentEarnings(call: CallRow): Pick<OperatorCallResponse, "cost" | "margin"> {
  const { carrier_cost_micros: cost, charge_micros: charge } = call;
  if (cost === null) return { cost: null, margin: null };
  return { cost: toDecimalString(cost), margin: call.ended_at === null ? null : toDecimalString(charge - cost) };
}

type Rung = OperatorCallResponse["ladder"][number];

function presentEvent(event: CallEventRow, mayReadCosts: boolean): Rung {
  const { occurred_at: at, received_at: receivedAt, source, kind, leg, payload } = event;
  return {
    at: at.toISOString(),
    received_at: receivedAt.toISOString(),
    source,
    kind,
    leg,
    detail: detailOf(payload, mayReadCosts),
  };
}

/** Values come from the provider, so they are bounded and masked. */
function detailOf(payload: Readonly<Record<string, unknown>>, mayReadCosts: boolean): Rung["detail"] {
  const shown = eventDetails.filter((name) => mayReadCosts || name !== "total_cost");
  return Object.fromEntries(
    shown.flatMap((name) => {
      const value = payload[name];
      const isShown = (typeof value === "string" && value !== "") || typeof value === "number" || value === true;
      return isShown ? [[name, loggable(String(value).slice(0, MAX_CHARACTERS))]] : [];
    }),
  );
}
