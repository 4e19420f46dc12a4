import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** The calls whose ids lie in a span: version 7 UUIDs, so that spans of ids are spans of time. */
export interface IdSpan {
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
}

export interface EventLine {
  readonly id: string;
  readonly callId: string;
  /** The whole row as JSON. */
  readonly line: string;
}

/** The oldest call with an event, by its id; null without events. */
export async function readOldestCallWithEvents(tx: Tx): Promise<string | null> {
  const row = await tx.selectFrom("call_event").select("call_id").orderBy("call_id").limit(1).executeTakeFirst();
  return row?.call_id ?? null;
}

/** The next rows of a span, in the order of calls and events. */
export async function readEventLines(tx: Tx, span: IdSpan, after: EventLine | null, limit: number): Promise<EventLine[]> {
  const { rows } = await sql<EventLine>`
    select id, call_id as "callId", row_to_json(call_event)::text as line from call_event
    where call_id >= ${after?.callId ?? span.from} and call_id < ${span.to}
      and (call_id, id) > (${after?.callId ?? span.from}, ${after?.id ?? ""})
    order by call_id, id limit ${limit}`.execute(tx);
  return rows;
}

/** A call of the span that is not over, or whose events still have their content; null if there is none. */
export async function findUnfinished(tx: Tx, span: IdSpan): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from call where id >= ${span.from} and id < ${span.to} and ended_at is null
    union all
    (select call_id from call_event where call_id >= ${span.from} and call_id < ${span.to} and payload <> '{}' limit 1)
    limit 1`.execute(tx);
  return rows[0]?.id ?? null;
}

/** Deletes the events of a batch of lines. */
export async function deleteEvents(tx: Tx, lines: readonly string[]): Promise<void> {
  const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
  await sql`delete from call_event where id = any (${ids}::text[])`.execute(tx);
}

/** Writes events back; those that are there stay as they are. */
export async function restoreEvents(tx: Tx, lines: readonly string[]): Promise<void> {
  await sql`
    insert into call_event select * from json_populate_recordset(null::call_event, ${`[${lines.join(",")}]`}::json)
    on conflict (id) do nothing`.execute(tx);
}

/** @param archived.month "2025-09" */
export async function insertEventArchive(
  tx: Tx,
  archived: { month: string; file: string; sha256: string; events: number; archived_at: Date },
): Promise<void> {
  await tx.insertInto("event_archive").values(archived).execute();
}

/** The archived months, the oldest first. */
export async function readEventArchives(tx: Tx): Promise<{ month: string; file: string; sha256: string; events: number }[]> {
  return tx.selectFrom("event_archive").select(["month", "file", "sha256", "events"]).orderBy("month").execute();
}

export async function deleteEventArchive(tx: Tx, month: string): Promise<void> {
  await tx.deleteFrom("event_archive").where("month", "=", month).execute();
}
