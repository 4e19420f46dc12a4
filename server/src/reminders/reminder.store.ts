import type { Language } from "@farline/contract/languages.ts";
import { sql } from "kysely";
import type { Transaction, Tx } from "../platform/database/database.ts";

/** A reminder with its contact's name. */
export interface NamedReminder {
  readonly id: string;
  readonly contact_id: string;
  readonly first_name: string;
  readonly last_name: string | null;
  readonly country_code: string;
  readonly time_zone: string;
  readonly local_time: string;
  readonly weekly: boolean;
  readonly next_at: Date;
}

/** The customer's reminders, the next one first. */
export async function readReminders(tx: Tx, customerId: string): Promise<NamedReminder[]> {
  const { rows } = await sql<NamedReminder>`
    select r.id, r.contact_id, c.first_name, c.last_name, r.country_code, r.time_zone, to_char(r.local_time, 'HH24:MI') as local_time, r.weekly,
      r.next_at
    from reminder r join contact c on c.id = r.contact_id and c.customer_id = r.customer_id
    where r.customer_id = ${customerId} order by r.next_at, r.id`.execute(tx);
  return rows;
}

/** A customer's reminder to be stored. */
interface NewReminder {
  readonly id: string;
  readonly customer_id: string;
  readonly contact_id: string;
  readonly time_zone: string;
  readonly country_code: string;
  readonly local_time: string;
  readonly weekly: boolean;
  readonly next_at: Date;
  readonly created_at: Date;
}

export async function insertReminder(tx: Tx, reminder: NewReminder): Promise<void> {
  await tx.insertInto("reminder").values(reminder).execute();
}

/** @param customerId null for a link, whose token names the reminder @returns whether there was one */
export async function deleteReminder(tx: Tx, id: string, customerId: string | null): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("reminder")
    .where("id", "=", id)
    .$if(customerId !== null, (query) => query.where("customer_id", "=", customerId ?? ""))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** A due reminder with what its mail needs. */
export interface DueReminder extends NamedReminder {
  readonly customer_id: string;
  readonly name: string;
  readonly email: string;
  readonly language: Language;
  /** Whether the account takes mail: not frozen, not closing, and its address confirmed. */
  readonly wanted: boolean;
}

/** Locks the reminders that are due, the most overdue first. */
export async function lockDueReminders(tx: Transaction, now: Date, limit: number): Promise<DueReminder[]> {
  const { rows } = await sql<DueReminder>`
    select r.id, r.customer_id, r.contact_id, c.first_name, c.last_name, r.country_code, r.time_zone,
      to_char(r.local_time, 'HH24:MI') as local_time, r.weekly, r.next_at, p.name, p.email, p.language,
      p.status = 'active' and p.closes_at is null and p.email_verified as wanted
    from reminder r join contact c on c.id = r.contact_id and c.customer_id = r.customer_id join customer p on p.id = r.customer_id
    where r.next_at <= ${now} order by r.next_at limit ${limit} for update of r skip locked`.execute(tx);
  return rows;
}

export async function moveReminder(tx: Tx, id: string, nextAt: Date): Promise<void> {
  await tx.updateTable("reminder").set({ next_at: nextAt }).where("id", "=", id).execute();
}
