import { reason } from "@farline/texts/reason.ts";
import { z } from "zod";
import { linkRequest } from "../account-access.ts";
import { emailField } from "../accounts.ts";
import type { Endpoints } from "../api/endpoint.ts";
import { countryCode, dollars, id, instant, typedDollars } from "../values.ts";

/** Maximum number of countries in a list. */
const MAX_COUNTRIES = 250;

/** What a family's owner allows a member; null means no limit. */
const familyLimits = z.object({
  daily_cap: dollars.nullable(),
  monthly_cap: dollars.nullable(),
  /** The only countries that may be called on the owner's credit. */
  countries: z.array(countryCode).min(1, reason("countries_needed")).max(MAX_COUNTRIES).nullable(),
  /** IANA name of the time zone whose midnight begins the days and months. */
  time_zone: z.string().min(1).max(64),
});
export type FamilyLimits = z.infer<typeof familyLimits>;

/** The limits as typed: amounts have at most two decimals. */
const familyLimitsRequest = familyLimits.extend({
  daily_cap: typedDollars.nullable(),
  monthly_cap: typedDollars.nullable(),
});
export type FamilyLimitsOrder = z.output<typeof familyLimitsRequest>;

/** What members decide for themselves. */
const familyChoices = z.object({
  /** Whether the owner's credit pays for the member's calls. Otherwise the member's own does; a call never uses both. */
  owner_pays: z.boolean(),
  /** Whether the owner sees the numbers that the member calls on the owner's credit. */
  shows_numbers: z.boolean(),
});
export type FamilyChoices = z.infer<typeof familyChoices>;

/** A member, as the owner and the member see them. */
const familyMember = familyChoices.extend({
  id,
  name: z.string(),
  joined_at: instant,
  limits: familyLimits,
  /** Charges of the member's calls on the owner's credit, and the holds of running ones. */
  spent_today: dollars,
  spent_this_month: dollars,
  /** Maximum cost of the next call: the least of what remains of each limit and the owner's credit. */
  left: dollars,
});
export type FamilyMember = z.infer<typeof familyMember>;

/** An open invitation, for its owner. */
const familyInvitation = z.object({
  id,
  /** Null for a link that the owner passes on. */
  email: z.string().nullable(),
  link: z.url(),
  limits: familyLimits,
  expires_at: instant,
});
export type FamilyInvitation = z.infer<typeof familyInvitation>;

/** Answer of `GET /api/family`. */
const familyResponse = z.object({
  family: z
    .object({
      is_owner: z.boolean(),
      owner_name: z.string(),
      /** All members for the owner; a member sees no other. */
      members: z.array(familyMember),
      /** For the owner only. */
      invitations: z.array(familyInvitation),
    })
    .nullable(),
  /** People of a family at most, its owner included. */
  max_people: z.number().int(),
});
export type FamilyResponse = z.infer<typeof familyResponse>;

/** `POST /api/family/invitations`: by mail, or a link to pass on. The first one makes the customer a family's owner. */
const familyInvitationRequest = z.object({ email: emailField.nullable(), limits: familyLimitsRequest });

/** Answer of `POST /api/family/invitation`: what anyone with the link sees, before they have an account: the owner's first name and the limits. */
const invitationResponse = z.object({ owner_name: z.string(), limits: familyLimits });
export type InvitationResponse = z.infer<typeof invitationResponse>;

/** `POST /api/family/accept`. */
const acceptRequest = linkRequest.extend(familyChoices.shape);

/** Answer of `GET /api/family/members/:id/calls`: the newest calls on the owner's credit of a member who shows their numbers. */
const memberCallsResponse = z.object({
  calls: z.array(
    z.object({
      id,
      destination_number: z.string(),
      country_code: countryCode,
      created_at: instant,
      duration_seconds: z.number().int(),
      cost: dollars,
    }),
  ),
});
export type MemberCallsResponse = z.infer<typeof memberCallsResponse>;

export const familyEndpoints = {
  "GET /api/family": { access: "customer", answer: familyResponse },
  /** A member leaves the family; its owner ends it. */
  "DELETE /api/family": { access: "customer", answer: familyResponse, refusals: ["not_found"] },
  "POST /api/family/invitations": {
    access: "step-up",
    body: familyInvitationRequest,
    status: 201,
    answer: familyResponse,
    refusals: ["account_closing", "account_frozen", "conflict", "email_not_confirmed"],
  },
  "DELETE /api/family/invitations/:id": { access: "customer", answer: familyResponse, refusals: ["not_found"] },
  "POST /api/family/invitation": {
    access: "visitor",
    body: linkRequest,
    answer: invitationResponse,
    refusals: ["link_expired"],
  },
  "POST /api/family/accept": {
    access: "step-up",
    body: acceptRequest,
    answer: familyResponse,
    refusals: ["account_closing", "account_frozen", "conflict", "email_not_confirmed", "link_expired"],
  },
  "PATCH /api/family/choices": { access: "step-up-when", body: familyChoices, answer: familyResponse, refusals: ["not_found"] },
  "PUT /api/family/members/:id/limits": {
    access: "step-up",
    body: familyLimitsRequest,
    answer: familyResponse,
    refusals: ["not_found"],
  },
  "DELETE /api/family/members/:id": { access: "customer", answer: familyResponse, refusals: ["not_found"] },
  "GET /api/family/members/:id/calls": { access: "customer", answer: memberCallsResponse, refusals: ["not_found"] },
} as const satisfies Endpoints;
