import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { cursor, id, instant } from "./values.ts";

/** Events on an account and its sign-in methods. */
export const activityKind = z.enum([
  "signed_in",
  "sign_in_failed",
  "second_factor_failed",
  "device_signed_out",
  "signed_out_everywhere",
  "session_stopped",
  "password_changed",
  "password_reset",
  "name_changed",
  "email_changed",
  "email_change_ended",
  "two_factor_on",
  "two_factor_off",
  "recovery_codes_new",
  "recovery_code_used",
  "passkey_added",
  "passkey_removed",
  "google_linked",
  "google_unlinked",
  "google_took_unverified",
  "google_refused",
  "caller_number_added",
  "caller_number_removed",
  "account_frozen",
  "account_unfrozen",
  "erasure_requested",
  "erasure_called_off",
]);
export type ActivityKind = z.infer<typeof activityKind>;

const activity = z.object({
  id,
  kind: activityKind,
  at: instant,
  /** For example "Chrome on Windows"; null if it did not happen in a browser. */
  device: z.string().nullable(),
  /** Shortened: "203.0.113.x"; null when `device` is null. */
  network: z.string().nullable(),
  /** The name of the passkey or device, the Google address, or the customer's name before a change. */
  subject: z.string().nullable(),
});
export type Activity = z.infer<typeof activity>;

/** `GET /api/account/activity`. */
const activityQuery = z.object({ cursor: cursor.optional() });

/** Its answer: twenty a page, newest first, from the last 90 days. */
export const activityResponse = z.object({
  activity: z.object({ data: z.array(activity), next_cursor: cursor.nullable() }),
});

export const activityEndpoints = {
  "GET /api/account/activity": { access: "customer", query: activityQuery, answer: activityResponse },
} as const satisfies Endpoints;
