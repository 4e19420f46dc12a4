import { renderedMessage } from "./errors.ts";
import { reason } from "@farline/texts/reason.ts";
import { asciiDigits } from "@farline/domain/ascii-digits.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { emailField, nameField, passwordConfirmationField, passwordField, typedPassword, userResponse } from "./accounts.ts";
import { language } from "./languages.ts";
import { secondFactorCode } from "./second-factor.ts";
import { id, instant } from "./values.ts";

const token = z
  .string({ error: reason("link_needed") })
  .min(1, reason("link_needed"))
  .max(200);

/** A request whose body is only the token of a mailed link. */
export const linkRequest = z.object({ token });

/** A message to show, for responses without other data. */
export const messageResponse = renderedMessage;

/**
 * Answer of `POST /api/email/verify` (linkRequest). `verified` also covers an address verified earlier. `choose_password`: the
 * account is not signed in here, so nothing changed; `reset_token` works for `POST /api/password/reset`,
 * which verifies the address and removes any sign-in method set up by another person.
 */
const emailVerifiedResponse = z.discriminatedUnion("status", [
  renderedMessage.extend({ status: z.literal("verified"), email: z.string() }),
  renderedMessage.extend({ status: z.literal("choose_password"), reset_token: z.string() }),
]);

/** `POST /api/email/verify/code`: the six digits of the newest mail, which work only in the session that asked for it. */
const emailCodeRequest = z.object({
  code: z
    .string({ error: reason("email_code_needed") })
    .transform((typed) => asciiDigits(typed).replaceAll(/[^\d]/g, ""))
    .refine((code) => code.length === 6, reason("email_code_needed")),
});
const emailVerifiedByCodeResponse = renderedMessage.extend({ status: z.literal("verified"), email: z.string() });

/** `POST /api/password/forgot`. The answer is the same for every address. */
const passwordForgotRequest = z.object({ email: emailField });

/** `POST /api/password/reset/account` (linkRequest): whose password a link changes, so that password managers store it under its address. */
const resetAccountResponse = z.object({ email: z.string() });

/** `POST /api/password/reset`. Does not sign the user in. */
export const passwordResetRequest = z.object({
  token,
  password: passwordField,
  password_confirmation: passwordConfirmationField,
});
export type PasswordResetRequest = z.infer<typeof passwordResetRequest>;

const presentPassword = typedPassword(reason("current_password_needed"));

/**
 * `POST /api/password`. Without `current_password`, or where signing in also takes a code, the person must have signed in
 * within the last ten minutes (`reauth_required` otherwise).
 */
export const passwordChangeRequest = z.object({
  current_password: presentPassword.optional(),
  password: passwordField,
  password_confirmation: passwordConfirmationField,
});

/** `POST /api/email/change`. `current_password` as in passwordChangeRequest. */
const emailChangeRequest = z.object({ email: emailField, current_password: presentPassword.optional() });

/**
 * Answer of `POST /api/email/change/confirm` (linkRequest). `waiting`: the link sent to the other address must still be opened.
 * `sign_in`: nothing changed; open the link to the new address in a browser signed in to the account.
 */
const emailChangeResponse = renderedMessage.extend({
  status: z.enum(["waiting", "changed", "sign_in"]),
  /** The current address. */
  email: z.string(),
});
export type EmailChangeResponse = z.infer<typeof emailChangeResponse>;

/**
 * `POST /api/reauthenticate` (204): allows for ten minutes what `reauth_required` refused. `code` if signing in requires one:
 * a code of the authenticator app or a recovery code.
 */
const reauthenticateRequest = z.object({
  current_password: presentPassword.min(1, reason("current_password_needed")),
  code: secondFactorCode.optional(),
});

/** `PATCH /api/user`: changes what it names. */
const userChangeRequest = z.object({ language: language.optional(), name: nameField.optional() });
export type UserChangeRequest = z.infer<typeof userChangeRequest>;

/** A signed-in device. */
const deviceSession = z.object({
  id,
  /** For example "Chrome on Windows"; "Unknown device" when the browser does not say. */
  device: z.string(),
  /** The network of the last sign-in, shortened: "203.0.113.x". */
  network: z.string(),
  /** The device that sent this request. */
  current: z.boolean(),
  signed_in_at: instant,
  last_seen_at: instant,
  /** A call is running on it. Signing the device out ends the call. */
  in_call: z.boolean(),
});
export type DeviceSession = z.infer<typeof deviceSession>;

/** Answer of `GET /api/sessions`: at most ten, this device first, then the most recently used. */
const sessionsResponse = z.object({ sessions: z.array(deviceSession) });

/** `DELETE /api/sessions` (204): signs out all devices; with `keep_current=true` all but this one. */
const endSessionsQuery = z.object({ keep_current: z.enum(["true", "false"]).optional() });

export const accountAccessEndpoints = {
  "PATCH /api/user": { access: "customer", body: userChangeRequest, answer: userResponse },
  "POST /api/logout": { access: "customer" },
  "DELETE /api/sessions/:id": { access: "customer", refusals: ["not_found"] },
  "POST /api/email/verification": { access: "customer", status: 202, answer: messageResponse },
  "POST /api/email/verify": { access: "visitor", body: linkRequest, answer: emailVerifiedResponse, refusals: ["link_expired"] },
  "POST /api/email/verify/code": {
    access: "customer",
    body: emailCodeRequest,
    answer: emailVerifiedByCodeResponse,
    refusals: ["code_wrong", "link_expired"],
  },
  "POST /api/email/change": {
    access: "step-up-when",
    body: emailChangeRequest,
    status: 202,
    answer: messageResponse,
    refusals: ["credentials_wrong", "email_taken"],
  },
  "POST /api/email/change/confirm": {
    access: "visitor",
    body: linkRequest,
    answer: emailChangeResponse,
    refusals: ["email_taken", "link_expired"],
  },
  "POST /api/password/forgot": { access: "visitor", body: passwordForgotRequest, answer: messageResponse },
  "POST /api/password/reset": {
    access: "visitor",
    body: passwordResetRequest,
    answer: messageResponse,
    refusals: ["link_expired"],
  },
  "POST /api/password/reset/account": {
    access: "visitor",
    body: linkRequest,
    answer: resetAccountResponse,
    refusals: ["link_expired"],
  },
  "POST /api/password": { access: "step-up-when", body: passwordChangeRequest, refusals: ["credentials_wrong"] },
  "POST /api/reauthenticate": {
    access: "customer",
    body: reauthenticateRequest,
    refusals: ["code_wrong", "credentials_wrong", "passkey_refused"],
  },
  "GET /api/sessions": { access: "customer", answer: sessionsResponse },
  "DELETE /api/sessions": { access: "customer", query: endSessionsQuery },
} as const satisfies Endpoints;
