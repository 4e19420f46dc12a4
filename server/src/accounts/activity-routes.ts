import type { Activity } from "@farline/contract/account-activity.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { readCursor } from "../platform/read-cursor.ts";
import { sessionOf } from "./session/session-guards.ts";
import { listSecurityEvents, type SecurityEventKind, type SecurityEventRow } from "./record/security-event.store.ts";
import type { AccountContext } from "./account-context.ts";

const PAGE = 20;
/** Unix time in milliseconds and id of the last event shown. */
const CURSOR = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** The detail of other events is for our own records: the reason for a freeze, why Google refused a sign-in. */
const WITH_SUBJECT: ReadonlySet<SecurityEventKind> = new Set([
  "caller_number_added",
  "caller_number_removed",
  "device_signed_out",
  "google_linked",
  "google_took_unverified",
  "name_changed",
  "passkey_added",
  "passkey_removed",
]);

/** `/api/account/activity`: security events of the account and its sign-in methods. */
export function activityRoutes(app: App, ctx: AccountContext): void {
  const { db } = ctx.handle;

  serve(app, "GET /api/account/activity", async (request) => {
    const { id: customerId } = sessionOf(request);
    const before = readCursor(request.query.cursor, CURSOR, (time, id) => ({ at: new Date(Number(time)), id }));
    const rows = await listSecurityEvents(db, { customerId, limit: PAGE + 1, before });
    const shown = rows.slice(0, PAGE);
    const last = rows.length > PAGE ? shown.at(-1) : undefined;
    const next = last === undefined ? null : `${last.happenedAt.getTime()}.${last.id}`;
    return { activity: { data: shown.map(toActivity), next_cursor: next } };
  });
}

function toActivity(row: SecurityEventRow): Activity {
  const subject = WITH_SUBJECT.has(row.kind) ? row.detail : null;
  return { id: row.id, kind: row.kind, at: row.happenedAt.toISOString(), device: row.device, network: row.network, subject };
}
