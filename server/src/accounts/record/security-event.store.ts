import type { ActivityKind } from "@farline/contract/account-activity.ts";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import type { RequestOrigin } from "./request-origin.ts";
import type { Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";

/**
 * Security events of an account. `google_took_unverified`: the owner of an unverified address took the account over, and
 * earlier sign-in methods were removed.
 */

export interface SecurityEvent {
  readonly customerId: string;
  readonly kind: ActivityKind;
  readonly detail?: string;
  /** Null if not done in a browser. */
  readonly from: RequestOrigin | null;
  readonly at: Date;
}

export interface SecurityEventRow {
  readonly id: string;
  readonly kind: ActivityKind;
  readonly detail: string | null;
  readonly device: string | null;
  readonly network: string | null;
  readonly happenedAt: Date;
}

const DETAIL_LENGTH = 300;
/** Kinds whose detail its customer may read. That of others is for our own records: the reason for a freeze, why Google refused a sign-in. */
export const KINDS_WITH_SUBJECT: ReadonlySet<ActivityKind> = new Set([
  "caller_number_added",
  "caller_number_removed",
  "device_signed_out",
  "google_linked",
  "google_took_unverified",
  "name_changed",
  "passkey_added",
  "passkey_removed",
]);
/** Events that anyone can repeat at will. Only the newest are kept, so that they do not displace others. */
const ROUTINE = [
  "signed_in",
  "sign_in_failed",
  "second_factor_failed",
  "device_signed_out",
  "signed_out_everywhere",
  "session_stopped",
] as const;
const MAX_ROUTINE = 200;

/** Records an event in the transaction that causes it. */
export async function insertSecurityEvent(tx: Tx, event: SecurityEvent): Promise<void> {
  await tx
    .insertInto("security_event")
    .values({
      id: uuidv7(),
      customer_id: event.customerId,
      kind: event.kind,
      detail: event.detail?.slice(0, DETAIL_LENGTH) ?? null,
      device: event.from?.device ?? null,
      network: event.from?.network ?? null,
      happened_at: event.at,
    })
    .execute();
  if (ROUTINE.some((kind) => kind === event.kind)) await deleteOldRoutine(tx, event.customerId);
}

async function deleteOldRoutine(tx: Tx, customerId: string): Promise<void> {
  await sql`
    delete from security_event where id in (
      select id from security_event where customer_id = ${customerId} and kind = any(${[...ROUTINE]})
      order by happened_at desc, id desc offset ${MAX_ROUTINE})`.execute(tx);
}

/** Newest first. @param wanted.before the last event of the previous page */
export function listSecurityEvents(
  db: Tx,
  wanted: { customerId: string; limit: number; before: { at: Date; id: string } | null },
): Promise<SecurityEventRow[]> {
  const { before } = wanted;
  let query = db
    .selectFrom("security_event")
    .select(["id", "kind", "detail", "device", "network", "happened_at as happenedAt"])
    .where("customer_id", "=", wanted.customerId)
    .orderBy("happened_at", "desc")
    .orderBy("id", "desc")
    .limit(wanted.limit);
  if (before !== null) query = query.where((eb) => eb(eb.refTuple("happened_at", "id"), "<", eb.tuple(before.at, before.id)));
  return query.execute();
}

export async function deleteSecurityEvents(db: Tx, before: Date, signal: AbortSignal): Promise<void> {
  await deleteRows(db, signal, { from: "security_event", where: sql`happened_at < ${before}` });
}
