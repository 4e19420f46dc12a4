import { z } from "zod";
import { emailField, passwordConfirmationField, passwordField, typedPassword } from "./accounts.ts";
import { language } from "./languages.ts";
import { secondFactorCode } from "./second-factor.ts";
import { id, instant } from "./values.ts";

const token = z.string({ error: "Open the link in the mail again." }).min(1, "Open the link in the mail again.").max(200);

/** A request whose body is only the token of a mailed link. */
export const linkRequest = z.object({ token });
export type LinkRequest = z.infer<typeof linkRequest>;

/** A message to show; the response where there is no other data. */
export const messageResponse = z.object({ message: z.string() });
export type MessageResponse = z.infer<typeof messageResponse>;

/**
 * Answer of `POST /api/email/verify` (linkRequest). `verified` also if it had been verified before. `choose_password`: the
 * account is not signed in here, so nothing changed; `reset_token` works for `POST /api/password/reset`,
 * which verifies the address and removes any sign-in method set up by another person.
 */
export const emailVerifiedResponse = z.discriminatedUnion("status", [
  z.object({ status: z.literal("verified"), message: z.string(), email: z.string() }),
  z.object({ status: z.literal("choose_password"), message: z.string(), reset_token: z.string() }),
]);
export type EmailVerifiedResponse = z.infer<typeof emailVerifiedResponse>;

/** `POST /api/password/forgot`. The answer is the same for every address. */
export const passwordForgotRequest = z.object({ email: emailField });
export type PasswordForgotRequest = z.infer<typeof passwordForgotRequest>;

/** `POST /api/password/reset`. Does not sign the user in. */
export const passwordResetRequest = z.object({
  token,
  password: passwordField,
  password_confirmation: passwordConfirmationField,
});
export type PasswordResetRequest = z.infer<typeof passwordResetRequest>;

const presentPassword = typedPassword("Enter your current password.");

/**
 * `POST /api/password`. Without `current_password`, or where signing in also takes a code, the person must have signed in
 * within the last ten minutes (`reauth_required` otherwise).
 */
export const passwordChangeRequest = z.object({
  current_password: presentPassword.optional(),
  password: passwordField,
  password_confirmation: passwordConfirmationField,
});
export type PasswordChangeRequest = z.infer<typeof passwordChangeRequest>;

/** `POST /api/email/change`. `current_password` as in passwordChangeRequest. */
export const emailChangeRequest = z.object({ email: emailField, current_password: presentPassword.optional() });
export type EmailChangeRequest = z.infer<typeof emailChangeRequest>;

/**
 * Answer of `POST /api/email/change/confirm` (linkRequest). `waiting`: the link sent to the other address must still be opened.
 * `sign_in`: nothing changed; open the link to the new address in a browser signed in to the account.
 */
export const emailChangeResponse = z.object({
  status: z.enum(["waiting", "changed", "sign_in"]),
  message: z.string(),
  /** The current address. */
  email: z.string(),
});
export type EmailChangeResponse = z.infer<typeof emailChangeResponse>;

/**
 * `POST /api/reauthenticate` (204): allows for ten minutes what `reauth_required` refused. `code` if signing in requires one:
 * a code of the authenticator app or a recovery code.
 */
export const reauthenticateRequest = z.object({
  current_password: presentPassword.min(1, "Enter your current password."),
  code: secondFactorCode.optional(),
});
export type ReauthenticateRequest = z.infer<typeof reauthenticateRequest>;

/** `PATCH /api/user`. */
export const userChangeRequest = z.object({ language });
export type UserChangeRequest = z.infer<typeof userChangeRequest>;

/** A signed-in device. */
export const deviceSession = z.object({
  id,
  /** For example "Chrome on Windows"; "Unknown device" when the browser does not say. */
  device: z.string(),
  /** The network of the last sign-in, shortened: "203.0.113.x". */
  network: z.string(),
  /** The device that sent this request. */
  current: z.boolean(),
  signed_in_at: instant,
  last_seen_at: instant,
});
export type DeviceSession = z.infer<typeof deviceSession>;

/** Answer of `GET /api/sessions`: at most ten, this device first, then the most recently used. */
export const sessionsResponse = z.object({ sessions: z.array(deviceSession) });
export type SessionsResponse = z.infer<typeof sessionsResponse>;

/** `DELETE /api/sessions` (204): signs out all devices; with `keep_current=true` all but this one. */
export const endSessionsQuery = z.object({ keep_current: z.enum(["true", "false"]).optional() });
