import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { caseTopic } from "../cases/cases.ts";
import { dollars, id, instant } from "../values.ts";
import { differenceKinds } from "./constants.ts";

/** Amounts and shares as operators read and type them, for example "$20.00" or "40 %". */
const written = z.string();
const writtenRange = z.object({ min: written, max: written });

const setting = z.object({
  name: z.string(),
  value: written,
  /** Null while the default applies. */
  since: z.object({ at: instant, operator: z.string() }).nullable(),
  default: written,
  /** What one operator may set without another, and what is accepted at all. */
  alone: writtenRange,
  bounds: writtenRange,
  /** Values that apply later, the next first. */
  next: z.array(z.object({ value: written, from: instant, operator: z.string() })),
});
export type SettingResponse = z.infer<typeof setting>;

const settingHistory = z.object({
  name: z.string(),
  default: written,
  /** The latest first. */
  values: z.array(z.object({ value: written, from: instant, operator: z.string(), reason: z.string() })),
  total: z.number().int(),
});
export type SettingHistoryResponse = z.infer<typeof settingHistory>;

const promo = z.object({
  code: z.string(),
  /** What a top-up gets, in words. */
  offer: z.string(),
  starts_at: instant,
  ends_at: instant.nullable(),
  /** When an operator ended it. */
  ended_at: instant.nullable(),
  uses: z.number().int(),
  most_uses: z.number().int().nullable(),
  promised: dollars,
  budget: dollars.nullable(),
});
export type PromoResponse = z.infer<typeof promo>;

const breaker = z.object({
  id: z.uuid(),
  kind: z.enum(["carrier_spend", "spend_note", "prefix", "country"]),
  /** What it stops or notes, in words. */
  text: z.string(),
  until: instant,
  lifted_at: instant.nullable(),
});
export type BreakerResponse = z.infer<typeof breaker>;

const reconciliation = z.object({
  /** Null before the first. */
  latest: z
    .object({
      from: instant,
      to: instant,
      charges: z.number().int(),
      provider: dollars,
      ledger: dollars,
      repaired: z.number().int(),
      differences: z.number().int(),
    })
    .nullable(),
  differences: z.array(
    z.object({
      kind: z.enum(differenceKinds),
      payment_id: id.nullable(),
      reference: z.string().nullable(),
      provider: dollars.nullable(),
      ledger: dollars.nullable(),
      detail: z.string(),
      found_at: instant.nullable(),
    }),
  ),
});
export type ReconciliationResponse = z.infer<typeof reconciliation>;

const supportCase = z.object({
  number: z.string(),
  topic: caseTopic,
  state: z.enum(["open", "answered", "closed"]),
  customer: z.object({ id: z.uuid(), email: z.string() }),
  at: instant,
  message: z.string(),
  call: z.object({ id: z.uuid(), number: z.string().nullable() }).nullable(),
  payment: z.object({ id: z.uuid(), amount: dollars }).nullable(),
  answer: z.object({ text: z.string(), at: instant }).nullable(),
});
export type SupportCaseResponse = z.infer<typeof supportCase>;

/** What an erasure would forfeit, and what blocks it. */
const closingAccount = z.object({
  email: z.string(),
  lost: dollars,
  obstacle: z.string().nullable(),
  /** Null unless it closes already. */
  closes_at: instant.nullable(),
});
export type ClosingAccountResponse = z.infer<typeof closingAccount>;

/** What operators read of the business beside its customers. */
export const operatorBusinessEndpoints = {
  "GET /api/operator/settings": {
    access: "operator",
    right: "read-costs",
    answer: z.object({ settings: z.array(setting) }),
  },
  "GET /api/operator/settings/:setting": { access: "operator", right: "read-costs", answer: settingHistory },
  /** The newest first. */
  "GET /api/operator/promos": { access: "operator", right: "read-costs", answer: z.object({ promos: z.array(promo) }) },
  /** Active, lifted, and today's notes. `spent`: what carriers have taken since midnight UTC. */
  "GET /api/operator/breakers": {
    access: "operator",
    right: "read-costs",
    answer: z.object({ spent: dollars, breakers: z.array(breaker) }),
  },
  "GET /api/operator/reconciliation": { access: "operator", right: "reconcile", answer: reconciliation },
  "GET /api/operator/cases/:number": {
    access: "operator",
    right: "read-customers",
    answer: supportCase,
    refusals: ["not_found"],
  },
  "GET /api/operator/customers/:id/erasure": {
    access: "operator",
    right: "read-customers",
    answer: closingAccount,
    refusals: ["not_found"],
  },
} as const satisfies Endpoints;
