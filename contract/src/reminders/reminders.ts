import { reason } from "@farline/texts/reason.ts";
import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { countryCode, id, instant } from "../values.ts";

/** A reminder by mail to call a contact at a time there. */
const reminder = z.object({
  id,
  contact_id: id,
  contact_name: z.string(),
  country_code: countryCode,
  /** IANA time zone. */
  time_zone: z.string(),
  /** The next one. */
  at: instant,
  /** On the clock there: "18:00". */
  local_time: z.string(),
  weekly: z.boolean(),
});
export type Reminder = z.infer<typeof reminder>;

/** `POST /api/reminders`: date and time on the clock there. The time zone is kept with the contact; default: the contact's. */
export const reminderRequest = z.object({
  contact_id: id,
  date: z.iso.date(reason("reminder_time")),
  time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, reason("reminder_time")),
  weekly: z.boolean().default(false),
  time_zone: z.string().nullish(),
});

export const reminderEndpoints = {
  "GET /api/reminders": { access: "customer", answer: z.object({ reminders: z.array(reminder) }) },
  "POST /api/reminders": {
    access: "customer",
    body: reminderRequest,
    answer: z.object({ reminder }),
    refusals: ["not_found", "conflict"],
  },
  "DELETE /api/reminders/:id": { access: "customer", refusals: ["not_found"] },
} as const satisfies Endpoints;
