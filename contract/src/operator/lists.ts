import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { callStatus, endReason } from "../calls.ts";
import { freezeReasons } from "../constants.ts";
import { countryCode, cursor, dollars, id, instant, typedDollars } from "../values.ts";
import { customerStates, paymentStates, paymentStatuses } from "./constants.ts";
import { zoneQuery } from "./overview.ts";
import { declineReasons } from "./words/money-words.ts";

const MAX_NAME = 64;
const MAX_NETWORK = 60;

/** What every list can be narrowed to. Days are those of the zone's clock, and the last one is included. */
const common = {
  ...zoneQuery.shape,
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  /** Dollars: of a payment, a call's charge, a customer's balance. */
  least: typedDollars.optional(),
  most: typedDollars.optional(),
  /** An IP address or network that the customers were seen in: `203.0.113.7`, `203.0.113.0/24`, `2001:db8:1::/48`. */
  network: z.string().max(MAX_NETWORK).optional(),
  cursor: cursor.optional(),
};

const paymentQuery = z.object({
  ...common,
  state: z.enum(paymentStates).optional(),
  /** Why it failed: stands for all of the provider's codes with the same words. */
  reason: z.enum(declineReasons).optional(),
  customer: z.uuid().optional(),
});
export type PaymentQuery = z.output<typeof paymentQuery>;

const callQuery = z.object({
  ...common,
  status: callStatus.optional(),
  reason: endReason.optional(),
  country: countryCode.optional(),
  trunk: z.string().max(MAX_NAME).optional(),
  /** The start of the called numbers, with or without the plus. */
  prefix: z.string().max(20).optional(),
  customer: z.uuid().optional(),
});
export type CallQuery = z.output<typeof callQuery>;

const customerQuery = z.object({
  ...common,
  state: z.enum(customerStates).optional(),
  /** Why the account is frozen. */
  reason: z.enum(freezeReasons).optional(),
});
export type CustomerQuery = z.output<typeof customerQuery>;

const owner = { customer_id: z.uuid(), name: z.string(), email: z.string() };

const listedPayment = z.object({
  id,
  ...owner,
  at: instant,
  amount: dollars,
  status: z.enum(paymentStatuses),
  refunded: dollars,
  disputed: z.boolean(),
  /** The provider's code of the latest failure. */
  reason: z.string().nullable(),
  /** "visa 4242"; empty while no card is known. */
  card: z.string(),
});
export type ListedPayment = z.infer<typeof listedPayment>;

const listedCall = z.object({
  id,
  ...owner,
  at: instant,
  destination: z.string(),
  country_code: countryCode,
  trunk: z.string().nullable(),
  status: callStatus,
  end_reason: endReason.nullable(),
  /** As charged. */
  seconds: z.int(),
  charge: dollars,
  /** Null if unknown, and for roles that may not see costs. */
  cost: dollars.nullable(),
});
export type ListedCall = z.infer<typeof listedCall>;

const listedCustomer = z.object({
  ...owner,
  at: instant,
  email_verified: z.boolean(),
  state: z.enum(customerStates),
  reason: z.enum(freezeReasons).nullable(),
  balance: dollars,
});
export type ListedCustomer = z.infer<typeof listedCustomer>;

/** A page, newest first. */
const page = <Row extends z.ZodType>(row: Row) =>
  z.object({
    rows: z.array(row),
    next_cursor: cursor.nullable(),
    /** Only on the first page; with `more`, there are more than this many. */
    count: z.object({ rows: z.int(), more: z.boolean() }).nullable(),
    /** Where the page ends because enough rows were read, though older ones may match. */
    searched_to: instant.nullable(),
    /** With a network of many customers: only the ones seen there last are searched. */
    network_cut: z.boolean(),
  });

const list = <Query extends z.ZodObject, Row extends z.ZodType>(query: Query, row: Row) =>
  ({ access: "operator", right: "read-customers", query, answer: page(row) }) as const;

/** All rows of a list, up to a bound, for a spreadsheet. */
const file = <Query extends z.ZodObject>(query: Query) =>
  ({ access: "operator", right: "export", query, file: ["text/csv"] }) as const;

export const operatorListEndpoints = {
  "GET /api/operator/lists/payments": list(paymentQuery, listedPayment),
  "GET /api/operator/lists/calls": list(callQuery, listedCall),
  "GET /api/operator/lists/customers": list(customerQuery, listedCustomer),
  "GET /api/operator/lists/payments/file": file(paymentQuery),
  "GET /api/operator/lists/calls/file": file(callQuery),
  "GET /api/operator/lists/customers/file": file(customerQuery),
} as const satisfies Endpoints;
