import { reason } from "@farline/texts/reason.ts";
import { z } from "zod";
import { loginRequest, passwordConfirmationField, passwordField } from "../accounts.ts";
import type { Endpoints } from "../api/endpoint.ts";
import {
  authenticatorSetupResponse,
  passkeyCreateRequest,
  passkeyOptionsResponse,
  passkeySignInRequest,
  secondFactorCode,
} from "../second-factor.ts";
import { instant } from "../values.ts";
import { operatorRights, operatorRoles, type OperatorRight } from "./rights.ts";

export const operatorRole = z.enum(operatorRoles);
const operatorRight = z.enum(Object.keys(operatorRights) as [OperatorRight, ...OperatorRight[]]);

/** Answer of `GET /api/operator/session` and of each sign-in: who is signed in, and what they may do. */
const operatorSessionResponse = z.object({
  operator: z.object({ id: z.uuid(), email: z.string(), name: z.string(), role: operatorRole }),
  rights: z.array(operatorRight),
  /** The sign-in ends then, however busy. */
  expires_at: instant,
});
export type OperatorSessionResponse = z.infer<typeof operatorSessionResponse>;

/** The secret of an invitation's link. */
const invitationToken = z.string().max(100);
const invitationRequest = z.object({ token: invitationToken });

/** Whom an invitation is for. */
const invitationResponse = z.object({ email: z.string(), name: z.string(), role: operatorRole });
export type InvitationResponse = z.infer<typeof invitationResponse>;

/** `POST /api/operator/invitation/password`. */
const invitationPasswordRequest = z.object({
  token: invitationToken,
  password: passwordField,
  password_confirmation: passwordConfirmationField,
  code: secondFactorCode,
});

/** `POST /api/operator/sign-in`. */
const operatorSignInRequest = loginRequest.omit({ proof: true }).extend({ code: secondFactorCode });

/** A command line asks to be signed in. */
const commandLineRequest = z.object({
  /** Its user and computer, which the console shows beside the network that asks. */
  device: z.string().trim().min(1).max(80),
});
const commandLineResponse = z.object({
  /** As in "K7QX-M2RP": the operator compares it in the console. */
  code: z.string(),
  /** Where the operator confirms it. */
  url: z.string(),
  /** Admits to the operators' endpoints as `Authorization: Bearer` once the code is confirmed. */
  token: z.string(),
  expires_at: instant,
});

/** The code that a command line shows. */
const commandLineCode = z.object({
  code: z.string().trim().min(1, reason("code_needed")).max(20, reason("code_too_long")),
});

export const operatorSessionEndpoints = {
  "POST /api/operator/invitation": {
    access: "visitor",
    body: invitationRequest,
    answer: invitationResponse,
    refusals: ["link_expired"],
  },
  "POST /api/operator/invitation/passkey/options": {
    access: "visitor",
    body: invitationRequest,
    answer: passkeyOptionsResponse,
    refusals: ["link_expired"],
  },
  "POST /api/operator/invitation/passkey": {
    access: "visitor",
    body: passkeyCreateRequest.omit({ name: true }).extend({ token: invitationToken }),
    answer: operatorSessionResponse,
    refusals: ["link_expired", "passkey_refused"],
  },
  "POST /api/operator/invitation/authenticator": {
    access: "visitor",
    body: invitationRequest,
    answer: authenticatorSetupResponse,
    refusals: ["link_expired"],
  },
  "POST /api/operator/invitation/password": {
    access: "visitor",
    body: invitationPasswordRequest,
    answer: operatorSessionResponse,
    refusals: ["link_expired", "code_wrong"],
  },
  "POST /api/operator/sign-in": {
    access: "visitor",
    body: operatorSignInRequest,
    answer: operatorSessionResponse,
    refusals: ["credentials_wrong"],
  },
  "POST /api/operator/sign-in/passkey/options": { access: "visitor", answer: passkeyOptionsResponse },
  "POST /api/operator/sign-in/passkey": {
    access: "visitor",
    body: passkeySignInRequest,
    answer: operatorSessionResponse,
    refusals: ["passkey_refused"],
  },
  "GET /api/operator/session": { access: "operator", right: "own-access", answer: operatorSessionResponse },
  "POST /api/operator/sign-out": { access: "operator", right: "own-access" },
  "POST /api/operator/command-line/request": {
    access: "visitor",
    body: commandLineRequest,
    answer: commandLineResponse,
    status: 201,
  },
  "POST /api/operator/command-line/device": {
    access: "operator",
    right: "own-access",
    body: commandLineCode,
    answer: z.object({ device: z.string() }),
    refusals: ["not_found"],
  },
  "POST /api/operator/command-line": {
    access: "operator",
    right: "command-line",
    body: commandLineCode,
    refusals: ["not_found"],
  },
} as const satisfies Endpoints;
