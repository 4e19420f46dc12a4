import type { Reminder } from "@farline/contract/reminders/reminders.ts";
import { timeZoneOf } from "@farline/domain/countries/time-zones.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { reminderRequest } from "@farline/contract/reminders/reminders.ts";
import { customerOf, lockCustomer, perCustomer } from "../accounts/accounts.ts";
import { findContactPlace } from "../contacts/contacts.ts";
import { enqueueMail } from "../mail/mail.ts";
import { AppError } from "../platform/app-error.ts";
import type { Tx } from "../platform/database/database.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { memoryRateLimit } from "../platform/http/rate-limit.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import type { Context, ServiceContext } from "../context.ts";
import {
  deleteReminder,
  insertReminder,
  lockDueReminders,
  momentOf,
  moveReminder,
  readReminders,
  type DueReminder,
  type NamedReminder,
} from "./reminder.store.ts";

const MAX_REMINDERS = 20;
const MAX_AHEAD_MS = 366 * DAY_MS;
const SEND_EVERY_MS = 20_000;
const REMINDERS_A_RUN = 200;
/** A later one, after an outage, would call at a bad hour. */
const LATEST_MS = 30 * 60_000;
const CHANGES = { name: "reminder-changes", points: 60, perSeconds: 60 };

/** Reminders to call a contact at a good hour there. */
export function reminderRoutes(app: App, ctx: ServiceContext): void {
  const { db } = ctx.handle;
  const changes = memoryRateLimit({ ...CHANGES, scale: ctx.config.limitsScale });

  serve(app, "GET /api/reminders", async (request) => ({
    reminders: (await readReminders(db, customerOf(request).id)).map(present),
  }));

  serve(app, "POST /api/reminders", {
    onRequest: perCustomer(changes),
    handler: async (request) => ({ reminder: present(await addReminder(ctx, customerOf(request).id, request.body)) }),
  });

  serve(app, "DELETE /api/reminders/:id", {
    onRequest: perCustomer(changes),
    handler: async (request) => {
      const { id } = request.params;
      if (!isUuid(id) || !(await deleteReminder(db, id, customerOf(request).id)))
        throw new AppError("not_found", { reason: "reminder_unknown" });
    },
  });
}

export function reminderJobs(ctx: Context): Job[] {
  return [{ name: "send-reminders", everyMs: SEND_EVERY_MS, run: () => sendReminders(ctx) }];
}

/** Ends the reminder of a mail's link. @returns whether there was one */
export function endReminder(tx: Tx, id: string): Promise<boolean> {
  return deleteReminder(tx, id, null);
}

/**
 * Adds a reminder on the clock of the contact's main number.
 * @throws AppError not_found for another customer's contact; validation_failed for a past or distant time; conflict if there are too many
 */
async function addReminder(ctx: Context, customerId: string, wanted: z.output<typeof reminderRequest>): Promise<NamedReminder> {
  const now = ctx.clock.now();
  return ctx.transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    const place = await findContactPlace(tx, customerId, wanted.contact_id);
    const timeZone = place === undefined ? null : timeZoneOf(place.country_code);
    if (place === undefined) throw new AppError("not_found", { reason: "contact_unknown" });
    if (timeZone === null) throw new AppError("validation_failed", { reason: "reminder_nowhere", field: "contact_id" });
    if ((await readReminders(tx, customerId)).length >= MAX_REMINDERS)
      throw new AppError("conflict", { reason: "reminders_full", params: { most: MAX_REMINDERS } });
    const next_at = await momentOf(tx, { date: wanted.date, time: wanted.time, timeZone });
    if (next_at <= now || next_at.getTime() > now.getTime() + MAX_AHEAD_MS)
      throw new AppError("validation_failed", { reason: "reminder_time", field: "time" });
    const reminder = {
      ...{ id: randomUUID(), contact_id: wanted.contact_id, country_code: place.country_code, time_zone: timeZone },
      ...{ local_time: wanted.time, weekly: wanted.weekly, next_at },
    };
    await insertReminder(tx, { ...reminder, customer_id: customerId, created_at: now });
    return { ...reminder, ...place };
  });
}

/** Mails what is due, once each, and moves weekly ones on. A locked, closing or unconfirmed account gets none. */
async function sendReminders(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  await ctx.transaction(async (tx) => {
    for (const reminder of await lockDueReminders(tx, now, REMINDERS_A_RUN)) {
      if (reminder.wanted && reminder.next_at.getTime() > now.getTime() - LATEST_MS) await mailReminder(tx, reminder, now);
      if (reminder.weekly) await moveReminder(tx, reminder.id, now);
      else await deleteReminder(tx, reminder.id, null);
    }
  });
}

async function mailReminder(tx: Tx, reminder: DueReminder, now: Date): Promise<void> {
  await enqueueMail(tx, {
    template: "reminder",
    data: {
      name: reminder.name,
      contact: nameOf(reminder),
      time: reminder.local_time,
      countryCode: reminder.country_code,
      linkId: reminder.id,
    },
    to: reminder.email,
    language: reminder.language,
    key: `reminder ${reminder.id} ${reminder.next_at.toISOString()}`,
    at: now,
    usefulUntil: new Date(now.getTime() + LATEST_MS),
  });
}

function nameOf({ first_name: first, last_name: last }: Pick<NamedReminder, "first_name" | "last_name">): string {
  return last === null ? first : `${first} ${last}`;
}

function present(reminder: NamedReminder): Reminder {
  return {
    id: reminder.id,
    contact_id: reminder.contact_id,
    contact_name: nameOf(reminder),
    country_code: reminder.country_code,
    time_zone: reminder.time_zone,
    at: reminder.next_at.toISOString(),
    local_time: reminder.local_time,
    weekly: reminder.weekly,
  };
}
