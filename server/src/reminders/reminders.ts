import type { Reminder } from "@farline/contract/reminders/reminders.ts";
import { clocksOf } from "@farline/domain/countries/clocks.ts";
import { dateOnClock, momentOnClock } from "@farline/domain/wall-clock.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { reminderRequest } from "@farline/contract/reminders/reminders.ts";
import { customerOf, lockCustomer, perCustomer } from "../accounts/accounts.ts";
import { findContactPlace, keepClock, type ContactPlace } from "../contacts/contacts.ts";
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
const WEEK_MS = 7 * DAY_MS;

/** Reminders to call a contact at a good hour there. */
export function reminderRoutes(app: App, ctx: ServiceContext): void {
  const { db } = ctx.handle;
  const changes = memoryRateLimit(ctx, "reminder-changes");

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
 * Adds a reminder on the chosen clock, or on that of the contact's main number.
 * @throws AppError not_found for another customer's contact; validation_failed for a past or distant time, or if the number can be on one
 * of several clocks and none is chosen; conflict if there are too many
 */
async function addReminder(ctx: Context, customerId: string, wanted: z.output<typeof reminderRequest>): Promise<NamedReminder> {
  const now = ctx.clock.now();
  return ctx.transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    const place = await findContactPlace(tx, customerId, wanted.contact_id);
    if (place === undefined) throw new AppError("not_found", { reason: "contact_unknown" });
    const timeZone = clockFor(place, wanted.time_zone ?? place.time_zone);
    if ((await readReminders(tx, customerId)).length >= MAX_REMINDERS)
      throw new AppError("conflict", { reason: "reminders_full", params: { most: MAX_REMINDERS } });
    const next_at = momentOnClock({ date: wanted.date, time: wanted.time, timeZone });
    if (next_at <= now || next_at.getTime() > now.getTime() + MAX_AHEAD_MS)
      throw new AppError("validation_failed", { reason: "reminder_time", field: "time" });
    const reminder = {
      id: randomUUID(),
      contact_id: wanted.contact_id,
      country_code: place.country_code,
      time_zone: timeZone,
      local_time: wanted.time,
      weekly: wanted.weekly,
      next_at,
    };
    await insertReminder(tx, { ...reminder, customer_id: customerId, created_at: now });
    if (timeZone !== place.time_zone) await keepClock(tx, customerId, { id: wanted.contact_id, clock: timeZone });
    return { ...place, ...reminder };
  });
}

/** @throws AppError validation_failed if the country has no such clock */
function clockFor({ country_code }: ContactPlace, wanted: string | null): string {
  const clocks = clocksOf(country_code);
  if (clocks.length === 0) throw new AppError("validation_failed", { reason: "reminder_nowhere", field: "contact_id" });
  if (wanted !== null && clocks.includes(wanted)) return wanted;
  throw new AppError("validation_failed", { reason: "reminder_clock", field: "time_zone" });
}

/** Mails what is due, once each, and moves weekly ones on. A frozen, closing or unconfirmed account gets none. */
async function sendReminders(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  await ctx.transaction(async (tx) => {
    for (const reminder of await lockDueReminders(tx, now, REMINDERS_A_RUN)) {
      if (reminder.wanted && reminder.next_at.getTime() > now.getTime() - LATEST_MS) await mailReminder(tx, reminder, now);
      if (reminder.weekly) await moveReminder(tx, reminder.id, weekAfter(reminder, now));
      else await deleteReminder(tx, reminder.id, null);
    }
  });
}

/** When a weekly reminder is due next, on the same weekday and at the same time on the clock there. */
function weekAfter({ next_at, time_zone: timeZone, local_time: time }: DueReminder, now: Date): Date {
  const day = Date.parse(dateOnClock(next_at, timeZone));
  for (let weeks = Math.max(1, Math.floor((now.getTime() - next_at.getTime()) / WEEK_MS)); ; weeks += 1) {
    const date = new Date(day + weeks * WEEK_MS).toISOString().slice(0, 10);
    const at = momentOnClock({ date, time, timeZone });
    if (at > now) return at;
  }
}

async function mailReminder(tx: Tx, reminder: DueReminder, now: Date): Promise<void> {
  await enqueueMail(tx, {
    template: "reminder",
    data: {
      name: reminder.name,
      contact: nameOf(reminder),
      time: reminder.local_time,
      countryCode: reminder.country_code,
      timeZone: reminder.time_zone,
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
