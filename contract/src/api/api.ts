import type { z } from "zod";
import { accountAccessEndpoints } from "../account-access.ts";
import { activityEndpoints } from "../account-activity.ts";
import { accountEndpoints } from "../accounts.ts";
import { autoTopUpEndpoints } from "../auto-top-up.ts";
import { billingEndpoints } from "../billing.ts";
import { documentEndpoints } from "../billing-documents.ts";
import { callDetailsEndpoints } from "../call-details.ts";
import { callHistoryEndpoints } from "../call-history.ts";
import { callerIdEndpoints } from "../caller-id.ts";
import { callEndpoints } from "../calls.ts";
import { caseEndpoints } from "../cases/cases.ts";
import { contactEndpoints } from "../contacts.ts";
import { eventEndpoints } from "../events.ts";
import { familyEndpoints } from "../family/family.ts";
import { giftEndpoints } from "../gifts/gifts.ts";
import { googleEndpoints } from "../google.ts";
import { newsletterEndpoints } from "../newsletter.ts";
import { operationsEndpoints } from "../operations.ts";
import { operationEndpoints } from "../operator/operation-inputs.ts";
import { operatorBusinessEndpoints } from "../operator/business.ts";
import { operatorApprovalEndpoints, operatorQueueEndpoints } from "../operator/queue.ts";
import { operatorDeckEndpoints } from "../operator/decks.ts";
import { operatorPriceEndpoints } from "../operator/prices.ts";
import { operatorOverviewEndpoints } from "../operator/overview.ts";
import { operatorMonthEndpoints } from "../operator/month.ts";
import { operatorCustomerEndpoints } from "../operator/customers.ts";
import { operatorPeopleEndpoints, operatorRecordEndpoints } from "../operator/people.ts";
import { operatorLookupEndpoints } from "../operator/search.ts";
import { operatorListEndpoints } from "../operator/lists.ts";
import { operatorTrafficEndpoints } from "../operator/traffic.ts";
import { operatorSessionEndpoints } from "../operator/session.ts";
import { erasureEndpoints } from "../personal-data/erasure.ts";
import { exportEndpoints } from "../personal-data/export.ts";
import { promotionEndpoints } from "../promotions.ts";
import { qualityEndpoints } from "../quality.ts";
import { rateEndpoints } from "../rates.ts";
import { reminderEndpoints } from "../reminders/reminders.ts";
import { secondFactorEndpoints } from "../second-factor.ts";
import type { PathParameters } from "./endpoint.ts";

/** Every endpoint of the service below `/api/`, by name. */
export const api = {
  ...accountAccessEndpoints,
  ...activityEndpoints,
  ...accountEndpoints,
  ...autoTopUpEndpoints,
  ...billingEndpoints,
  ...documentEndpoints,
  ...callDetailsEndpoints,
  ...callHistoryEndpoints,
  ...callerIdEndpoints,
  ...callEndpoints,
  ...caseEndpoints,
  ...contactEndpoints,
  ...eventEndpoints,
  ...familyEndpoints,
  ...giftEndpoints,
  ...reminderEndpoints,
  ...googleEndpoints,
  ...newsletterEndpoints,
  ...operationsEndpoints,
  ...operatorLookupEndpoints,
  ...operatorListEndpoints,
  ...operatorCustomerEndpoints,
  ...operatorSessionEndpoints,
  ...operatorPeopleEndpoints,
  ...operatorRecordEndpoints,
  ...operatorQueueEndpoints,
  ...operatorMonthEndpoints,
  ...operatorOverviewEndpoints,
  ...operatorTrafficEndpoints,
  ...operationEndpoints,
  ...operatorApprovalEndpoints,
  ...operatorBusinessEndpoints,
  ...operatorDeckEndpoints,
  ...operatorPriceEndpoints,
  ...erasureEndpoints,
  ...exportEndpoints,
  ...promotionEndpoints,
  ...qualityEndpoints,
  ...rateEndpoints,
  ...secondFactorEndpoints,
} as const;

/** Method and path, as in `GET /api/contacts`. */
export type EndpointName = keyof typeof api;

type Declared<N extends EndpointName> = (typeof api)[N];

/** The path's parameters; without any, an empty object. */
export type ParametersOf<N extends EndpointName> = Readonly<Record<PathParameters<N>, string>>;

type Answers = {
  [N in EndpointName]: Declared<N> extends { answer: infer Schema extends z.ZodType }
    ? z.input<Schema>
    : Declared<N> extends { file: unknown } | { events: unknown }
      ? never
      : void;
};
type Queries = {
  [N in EndpointName]: Declared<N> extends { query: infer Schema extends z.ZodType }
    ? { sent: z.input<Schema>; read: z.output<Schema> }
    : { sent: undefined; read: unknown };
};
type Bodies = {
  [N in EndpointName]: Declared<N> extends { body: infer Schema extends z.ZodType }
    ? { sent: z.input<Schema>; read: z.output<Schema> }
    : Declared<N> extends { raw: { type: "application/gzip" } }
      ? { sent: Blob; read: AsyncIterable<Uint8Array> }
      : Declared<N> extends { raw: unknown }
        ? { sent: FormData; read: Buffer }
        : { sent: undefined; read: unknown };
};

/** An endpoint's JSON answer: none with 204. Files and events are sent unchanged. */
export type AnswerOf<N extends EndpointName> = Answers[N];

/** The query as a client sends it. */
export type QueryOf<N extends EndpointName> = Queries[N]["sent"];

/** The query as the service reads it. */
export type ReadQueryOf<N extends EndpointName> = Queries[N]["read"];

/** The body as a client sends it. */
export type BodyOf<N extends EndpointName> = Bodies[N]["sent"];

/** The body as the service reads it; raw bytes or a stream where the endpoint declares them. */
export type ReadBodyOf<N extends EndpointName> = Bodies[N]["read"];
