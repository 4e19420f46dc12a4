import { reason } from "@farline/texts/reason.ts";
import { sessionResponse } from "./accounts.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { cleanLine } from "@farline/domain/text/clean-text.ts";
import { MAX_TYPED_CODE_LENGTH, readSecondFactorCode } from "@farline/domain/typed/typed-codes.ts";
import { z } from "zod";
import { id, instant } from "./values.ts";

/** Answer of `GET /api/account/sign-in-methods`: every way into the account. */
const signInMethodsResponse = z.object({
  password: z.boolean(),
  /** Null if no Google account is connected. */
  google: z.object({ email: z.string(), linked_at: instant }).nullable(),
  /** Null if signing in requires only the password. */
  authenticator: z.object({ since: instant, recovery_codes_left: z.number().int() }).nullable(),
  passkeys: z.array(
    z.object({
      id,
      name: z.string(),
      /** Whether it is synced between devices. */
      synced: z.boolean(),
      created_at: instant,
      last_used_at: instant.nullable(),
    }),
  ),
});
export type SignInMethodsResponse = z.infer<typeof signInMethodsResponse>;

/** A code of an authenticator app (6 digits) or a recovery code, as typed; any other text is passed on and refused. */
export const secondFactorCode = z
  .string({ error: reason("code_needed") })
  .trim()
  .min(1, reason("code_needed"))
  .max(MAX_TYPED_CODE_LENGTH, reason("code_too_long"))
  .transform((typed) => readSecondFactorCode(typed) ?? typed);

/** `POST /api/login/second-factor` (200, sessionResponse). */
const secondFactorRequest = z.object({
  challenge: z
    .string({ error: reason("unauthenticated") })
    .min(1, reason("unauthenticated"))
    .max(100),
  code: secondFactorCode,
});
export type SecondFactorRequest = z.infer<typeof secondFactorRequest>;

/** Answer (201) of `POST /api/account/authenticator`: the secret for the authenticator app. Nothing is enabled until it is confirmed. */
export const authenticatorSetupResponse = z.object({
  /** For typing by hand: Base32 in groups of four. */
  secret: z.string(),
  /** `otpauth://totp/…`, which phones open as a link. */
  uri: z.string(),
  /** The uri as a QR code: one SVG path, in a square of `size` units with its quiet zone. Dark on light, whatever the theme. */
  qr: z.object({ size: z.number().int(), path: z.string() }),
});
export type AuthenticatorSetupResponse = z.infer<typeof authenticatorSetupResponse>;

/** `POST /api/account/authenticator/confirm`. */
const authenticatorConfirmRequest = z.object({ code: secondFactorCode });

/** Answer of `POST …/confirm` and `POST /api/account/authenticator/recovery-codes`: shown only once; each code works once. */
const recoveryCodesResponse = z.object({ recovery_codes: z.array(z.string()) });

const base64url = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/)
  .max(8_192);
const extensions = z.record(z.string(), z.unknown()).default({});
const attachment = z.enum(["platform", "cross-platform"]).optional();
const transports = z.array(z.string().max(20)).max(10).optional();

/** The browser's result of creating a passkey: `PublicKeyCredential.toJSON()`. */
const newCredential = z.object({
  id: base64url,
  rawId: base64url,
  type: z.literal("public-key"),
  authenticatorAttachment: attachment,
  clientExtensionResults: extensions,
  response: z.object({ clientDataJSON: base64url, attestationObject: base64url, transports }),
});

/** The browser's result of signing with a passkey. */
const signedCredential = z.object({
  id: base64url,
  rawId: base64url,
  type: z.literal("public-key"),
  authenticatorAttachment: attachment,
  clientExtensionResults: extensions,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    /** Safari sends an empty one where the security key has none. */
    userHandle: base64url.or(z.literal("")).optional(),
  }),
});

/**
 * Answer of `POST /api/account/passkeys/options` and `POST /api/login/passkey/options`: passed unchanged to
 * `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. Valid for five minutes.
 */
export const passkeyOptionsResponse = z.object({ options: z.record(z.string(), z.unknown()) });

/** `POST /api/account/passkeys` (201, passkeyResponse). */
export const passkeyCreateRequest = z.object({
  name: z
    .string({ error: reason("passkey_name_needed") })
    .transform(cleanLine)
    .pipe(
      z
        .string()
        .min(1, reason("passkey_name_needed"))
        .max(60, reason("passkey_name_too_long", { max: 60 })),
    ),
  credential: newCredential,
});
export type PasskeyCreateRequest = z.infer<typeof passkeyCreateRequest>;

const passkeyResponse = z.object({ id, name: z.string() });
export type PasskeyResponse = z.infer<typeof passkeyResponse>;

/** `POST /api/login/passkey` (200, sessionResponse): a passkey counts as both factors. */
export const passkeySignInRequest = z.object({ credential: signedCredential });
export type PasskeySignInRequest = z.infer<typeof passkeySignInRequest>;

export const secondFactorEndpoints = {
  "POST /api/login/passkey": {
    access: "visitor",
    body: passkeySignInRequest,
    answer: sessionResponse,
    refusals: ["passkey_refused"],
  },
  "POST /api/login/second-factor": {
    access: "visitor",
    body: secondFactorRequest,
    answer: sessionResponse,
    refusals: ["code_wrong", "sign_in_expired"],
  },
  "DELETE /api/account/passkeys/:id": { access: "step-up", refusals: ["not_found", "last_sign_in_method"] },
  "DELETE /api/account/authenticator": { access: "step-up", refusals: ["conflict"] },
  "POST /api/login/passkey/options": { access: "visitor", answer: passkeyOptionsResponse },
  "POST /api/account/passkeys/options": { access: "step-up", answer: passkeyOptionsResponse, refusals: ["conflict"] },
  "POST /api/account/passkeys": {
    access: "step-up",
    body: passkeyCreateRequest,
    status: 201,
    answer: passkeyResponse,
    refusals: ["conflict", "passkey_refused"],
  },
  "POST /api/account/authenticator": {
    access: "step-up",
    status: 201,
    answer: authenticatorSetupResponse,
    refusals: ["conflict"],
  },
  "POST /api/account/authenticator/confirm": {
    access: "step-up",
    body: authenticatorConfirmRequest,
    answer: recoveryCodesResponse,
    refusals: ["conflict", "code_wrong"],
  },
  "POST /api/account/authenticator/recovery-codes": { access: "step-up", answer: recoveryCodesResponse, refusals: ["conflict"] },
  "GET /api/account/sign-in-methods": { access: "customer", answer: signInMethodsResponse },
} as const satisfies Endpoints;
