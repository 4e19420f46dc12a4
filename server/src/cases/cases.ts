import { HOUR_MS } from "@farline/domain/durations.ts";
import type { SupportCase } from "@farline/contract/cases/cases.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Context } from "../context.ts";
import type { Metric } from "../platform/metric.ts";
import { type CaseRow, listCasesOf, oldestOpenCase } from "./case.store.ts";
import { customerOf, perCustomer } from "../accounts/accounts.ts";
import { requestKeyOf, serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { memoryRateLimit, sharedRateLimit } from "../platform/http/rate-limit.ts";
import { pageOf, readIdCursor } from "../platform/read-cursor.ts";
import { openCase } from "./open-case.ts";

export type { QueuedCase } from "./case.store.ts";

export { caseVerbs, findCase } from "./decide-case.ts";

/** From this age on, a question is late. */
const LATE_HOURS = 24;

/** For monitoring. */
export function caseMetrics({ handle, clock }: Context): Metric[] {
  return [
    {
      name: "farline_oldest_case_hours",
      help: "Age of the oldest open customer question in whole hours",
      read: async () => {
        const since = await oldestOpenCase(handle.db);
        return since === undefined ? 0 : Math.floor((clock.now().getTime() - since.getTime()) / HOUR_MS);
      },
      runbook: "person-needed",
      level: "ticket",
      warning: (hours) =>
        hours < LATE_HOURS ? null : `A customer's question has waited for ${hours} hours. See the command cases.`,
    },
  ];
}

/** `/api/cases`: a customer's questions to the people who run the service. */
export function caseRoutes(app: App, ctx: Context): void {
  const { handle } = ctx;
  const tries = memoryRateLimit(ctx, "case-try");
  const perDay = sharedRateLimit(ctx, "case-day");

  serve(app, "GET /api/cases", async (request) => {
    const { cursor, limit } = request.query;
    const before = readIdCursor(cursor);
    const rows = await listCasesOf(handle.db, customerOf(request).id, { limit: limit + 1, before });
    const { shown, next } = pageOf(rows, limit, ({ id }) => id);
    return { cases: { data: shown.map(presentCase), next_cursor: next } };
  });

  serve(app, "POST /api/cases", {
    onRequest: perCustomer(tries),
    handler: async (request) => {
      const input = { request: request.body, requestKey: requestKeyOf(request), perDay };
      return { case: presentCase(await openCase(ctx, customerOf(request), input)) };
    },
  });
}

function presentCase(row: CaseRow): SupportCase {
  return {
    id: row.id,
    number: Number(row.number),
    topic: row.topic,
    message: row.message,
    about: aboutOf(row),
    state: row.state,
    answer: row.answer,
    created_at: row.created_at.toISOString(),
    answered_at: row.answered_at?.toISOString() ?? null,
  };
}

function aboutOf(row: CaseRow): SupportCase["about"] {
  if (row.call_id !== null && row.call_number !== null && row.call_created_at !== null)
    return { type: "call", id: row.call_id, number: row.call_number, created_at: row.call_created_at.toISOString() };
  if (row.payment_id !== null && row.payment_micros !== null && row.payment_created_at !== null)
    return {
      type: "payment",
      id: row.payment_id,
      amount: toDecimalString(row.payment_micros),
      created_at: row.payment_created_at.toISOString(),
    };
  return null;
}
