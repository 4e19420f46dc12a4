import { reason } from "@farline/texts/reason.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { cleanLine } from "@farline/domain/text/clean-text.ts";
import { readEmailAddress } from "@farline/domain/email-address.ts";
import { z } from "zod";
import { freezeReasons } from "./constants.ts";
import { language } from "./languages.ts";
import { robotProof } from "./robot-check.ts";
import { sellerNotice } from "./public-pages.ts";
import { dollars, id, instant } from "./values.ts";

/** An email address as typed; its domain may be written in any script (`readEmailAddress`). */
export const emailField = z
  .string({ error: reason("email_needed") })
  .trim()
  .max(254, reason("email_too_long"))
  .transform((typed, context) => {
    const address = readEmailAddress(typed);
    if (address === null) context.addIssue(reason("email_invalid"));
    return address ?? z.NEVER;
  });

const MAX_PASSWORD_CHARS = 128;

/**
 * A password as typed, the only way into the service. The same letters may arrive composed, decomposed or full width, depending on
 * keyboard and system, so they are normalised first (NFKC: NIST SP 800-63B §5.1.1.2; the aim of RFC 8265 §4).
 */
export function typedPassword(missing: string) {
  return z
    .string({ error: missing })
    .normalize("NFKC")
    .max(MAX_PASSWORD_CHARS, reason("password_too_long", { max: MAX_PASSWORD_CHARS }));
}

/** A new password. The service judges its strength; the client shows the result. */
export const passwordField = typedPassword(reason("new_password_needed")).min(8, reason("password_too_short", { min: 8 }));

export const passwordConfirmationField = typedPassword(reason("password_again_needed"));

/** A person's name: one line. */
export const nameField = z
  .string({ error: reason("name_needed") })
  .transform(cleanLine)
  .pipe(
    z
      .string()
      .min(1, reason("name_needed"))
      .max(120, reason("name_too_long", { max: 120 })),
  );

/** `POST /api/register`. */
const registerRequest = z.object({
  name: nameField,
  email: emailField,
  password: passwordField,
  password_confirmation: passwordConfirmationField,
  /** Language of mails; defaults to the browser's preferred language. */
  language: language.optional(),
  /** After `challenge_required`. */
  proof: robotProof.optional(),
});
export type RegisterRequest = z.infer<typeof registerRequest>;

/** `POST /api/login`. */
export const loginRequest = z.object({
  email: z
    .string({ error: reason("email_needed") })
    .trim()
    .min(1, reason("email_needed"))
    .max(254),
  password: typedPassword(reason("password_needed")).min(1, reason("password_needed")),
  /** After `challenge_required`. */
  proof: robotProof.optional(),
});
export type LoginRequest = z.infer<typeof loginRequest>;

const user = z.object({
  id,
  name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  /** The last mail to the address, which is not confirmed yet, could not be delivered. */
  email_refused: z.boolean(),
  /** A link that confirms the address was mailed, or is about to be. */
  link_mailed: z.boolean(),
  /** The address belongs to a disposable-mail service: no free first call and no invitation bonus. */
  disposable_email: z.boolean(),
  /** `closing`: the account will be erased; calls and payments are refused. */
  status: z.enum(["active", "frozen", "closing"]),
  /** Why calls and payments are locked; null unless `status` is `frozen`. */
  frozen_because: z.enum(freezeReasons).nullable(),
  /** Earliest time of erasure; null unless the owner requested it. */
  closes_at: instant.nullable(),
  /** Language of mails. */
  language,
  /** False for a user who has only signed in without a password, for example with Google. */
  has_password: z.boolean(),
  created_at: instant,
});
export type User = z.infer<typeof user>;

/** Answer of `POST /api/register` (201), and of every completed sign-in (200). */
export const sessionResponse = z.object({
  token: z.string(),
  user,
  /** The sign-in with Google created the account. */
  is_new: z.literal(true).optional(),
});
export type SessionResponse = z.infer<typeof sessionResponse>;

/** A way to finish a sign-in that asks for a second factor. A passkey starts a new sign-in and counts as both factors. */
const secondFactorMethod = z.enum(["authenticator", "recovery_code", "passkey"]);

/** The first factor was correct and the account requires a second: send the challenge to `POST /api/login/second-factor`. */
const secondFactorResponse = z.object({
  second_factor: z.object({
    /** Valid for ten minutes and five attempts. */
    challenge: z.string(),
    methods: z.array(secondFactorMethod),
    expires_at: instant,
  }),
});
export type SecondFactorResponse = z.infer<typeof secondFactorResponse>;

/** Answer (200) of `POST /api/login` and `POST /api/auth/google/callback`. */
export const signInResponse = z.union([sessionResponse, secondFactorResponse]);
export type SignInResponse = z.infer<typeof signInResponse>;

/** Answer of `GET /api/user`. */
export const userResponse = z.object({ user });

/** Answer of `GET /api/config`: what the web app needs before sign-in. */
const configResponse = z.object({
  /** `sandbox` while any provider is a sandbox; every page then shows a banner. */
  mode: z.enum(["sandbox", "live"]),
  /** The sandbox's page (test numbers, test cards); null in live mode. */
  sandbox_url: z.string().nullable(),
  currency: z.literal("USD"),
  /** Whether sign-in with Google is configured. */
  google: z.boolean(),
  /** Credit for a first call, granted when the address is confirmed; null if there is none. */
  first_call: dollars.nullable(),
  /** The bonus for inviter and invitee, and the first top-up it requires; null if there is no invitation bonus. */
  referral: z.object({ bonus: dollars, min_top_up: dollars }).nullable(),
  seller: sellerNotice,
});
export type ConfigResponse = z.infer<typeof configResponse>;

export const accountEndpoints = {
  "GET /api/config": { access: "visitor", answer: configResponse },
  "POST /api/register": {
    access: "visitor",
    body: registerRequest,
    status: 201,
    answer: sessionResponse,
    refusals: ["challenge_required", "email_taken"],
  },
  "POST /api/login": {
    access: "visitor",
    body: loginRequest,
    answer: signInResponse,
    refusals: ["challenge_required", "credentials_wrong"],
  },
  "GET /api/user": { access: "customer", answer: userResponse },
} as const satisfies Endpoints;
