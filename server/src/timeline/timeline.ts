import type { TimelineEntry, TimelineResponse } from "@farline/contract/operator/customers.ts";
import { offeredFor } from "@farline/contract/operator/operations.ts";
import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { actingAs, type Context, type OperatorContext } from "../context.ts";
import { operatorOf } from "../operator/operator.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { readCustomer, requireCustomer } from "./read-customer.ts";
import { pageOf, readCursor } from "../platform/read-cursor.ts";
import { readTimelineRows, type TimelinePosition, type TimelineRow } from "./timeline.store.ts";

const CURSOR = /^(-?\d{1,18})~([a-z_]{1,20}:.{1,260})$/;

/** `/api/operator/customers`. */
export function timelineRoutes(app: App, ctx: Context): void {
  serve(app, "GET /api/operator/customers/:id", (request) =>
    readCustomer(actingAs(ctx, operatorOf(request)), { customer: request.params.id }),
  );

  serve(app, "GET /api/operator/customers/:id/timeline", (request) =>
    readTimeline(actingAs(ctx, operatorOf(request)), { customer: request.params.id, ...request.query }),
  );
}

/**
 * A page of everything that happened to a customer, newest first, with what an operator can do about each entry.
 * @throws AppError not_found; malformed_request for an invalid cursor
 */
export async function readTimeline(
  ctx: OperatorContext,
  query: { readonly customer: string; readonly cursor?: string | undefined; readonly limit: number },
): Promise<TimelineResponse> {
  const { db } = ctx.handle;
  const after = readCursor(query.cursor, CURSOR, (micros, key): TimelinePosition => ({ micros, key }));
  const customer = await requireCustomer(db, query.customer);
  const rows = await readTimelineRows(db, customer, { after, limit: query.limit + 1 });
  const { shown, next } = pageOf(rows, query.limit, ({ micros, key }) => `${micros}~${key}`);
  return { entries: shown.map((row) => presentEntry(row, ctx.actor.role)), next_cursor: next };
}

function presentEntry(row: TimelineRow, role: OperatorRole): TimelineEntry {
  const { type, id, at, amount_micros: amountMicros, balance_micros: balance, state, kind, facts } = row;
  return {
    type,
    id,
    at: at.toISOString(),
    amount: amountMicros === null ? null : toDecimalString(amountMicros),
    balance_after: balance === null ? null : toDecimalString(balance),
    state,
    kind,
    facts,
    can: offeredFor(role, { type, state, amountMicros, kind }),
  };
}
