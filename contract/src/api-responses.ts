import { z } from "zod";
import { emailChangeResponse, emailVerifiedResponse, messageResponse, sessionsResponse } from "./account-access.ts";
import { activityResponse } from "./account-activity.ts";
import { configResponse, sessionResponse, signInResponse, userResponse } from "./accounts.ts";
import { autoTopUpResponse, saveCardResponse } from "./auto-top-up.ts";
import {
  documentTicketResponse,
  receiptResponse,
  receiptsResponse,
  statementResponse,
  statementsResponse,
} from "./billing-documents.ts";
import {
  balanceResponse,
  checkoutResponse,
  confirmResponse,
  packagesResponse,
  testCreditResponse,
  transactionsResponse,
  withdrawalResponse,
  withdrawalsResponse,
} from "./billing.ts";
import { callDetailsResponse, qualityResponse, refundRequestResponse } from "./call-details.ts";
import {
  calledCountriesResponse,
  suggestionsResponse,
  exportTicketResponse,
  summaryResponse,
  totalsResponse,
} from "./call-history.ts";
import {
  callQuoteResponse,
  callResponse,
  echoTestResponse,
  extendResponse,
  guardRailsResponse,
  historyResponse,
  initiateResponse,
  liveCallResponse,
  voiceTokenResponse,
} from "./calls.ts";
import { callerIdResponse } from "./caller-id.ts";
import { caseResponse, casesResponse } from "./cases/cases.ts";
import { contactExportResponse, contactResponse, contactsResponse, importResponse } from "./contacts.ts";
import { liveHint } from "./events.ts";
import { googleRedirectResponse } from "./google.ts";
import { erasureResponse } from "./personal-data/erasure.ts";
import { exportDownloadResponse, exportResponse } from "./personal-data/export.ts";
import { promoCheckResponse, referralClaimResponse, referralResponse } from "./promotions.ts";
import { countriesResponse, getRateResponse, lookupNumberResponse, ratesResponse } from "./rates.ts";
import {
  authenticatorSetupResponse,
  passkeyOptionsResponse,
  passkeyResponse,
  recoveryCodesResponse,
  signInMethodsResponse,
} from "./second-factor.ts";

/** A route's success response. */
export interface ApiResponse {
  readonly status: 200 | 201 | 202 | 204;
  /** Absent with 204. */
  readonly content?: { readonly types: readonly string[]; readonly schema: z.ZodType };
}

const json = (schema: z.ZodType, status: 200 | 201 | 202 = 200): ApiResponse => ({
  status,
  content: { types: ["application/json"], schema },
});
const file = (...types: string[]): ApiResponse => ({ status: 200, content: { types, schema: z.string() } });
const EMPTY: ApiResponse = { status: 204 };

const partState = z.enum(["ok", "down"]);
export const readyResponse = z.object({
  status: z.literal("ready"),
  parts: z.object({ database: partState, rates: partState, voice: partState, payments: partState }),
  warnings: z.array(z.string()),
});
export const healthResponse = z.object({ status: z.literal("ok") });
export const receivedResponse = z.object({ received: z.literal(true) });

/** By method and pattern, for every route of the service below `/api/`. A route without an entry cannot be described. */
export const apiResponses: Readonly<Record<string, ApiResponse>> = {
  "GET /api/health": json(healthResponse),
  "GET /api/ready": json(readyResponse),
  "GET /api/config": json(configResponse),
  "GET /api/openapi.json": json(z.record(z.string(), z.unknown())),
  "GET /api/events": { status: 200, content: { types: ["text/event-stream"], schema: liveHint } },
  "POST /api/register": json(sessionResponse, 201),
  "POST /api/login": json(signInResponse),
  "POST /api/login/passkey": json(sessionResponse),
  "POST /api/login/passkey/options": json(passkeyOptionsResponse),
  "POST /api/login/second-factor": json(sessionResponse),
  "GET /api/auth/google/redirect": json(googleRedirectResponse),
  "POST /api/auth/google/callback": json(signInResponse),
  "POST /api/logout": EMPTY,
  "POST /api/reauthenticate": EMPTY,
  "GET /api/user": json(userResponse),
  "PATCH /api/user": json(userResponse),
  "GET /api/sessions": json(sessionsResponse),
  "DELETE /api/sessions": EMPTY,
  "DELETE /api/sessions/:id": EMPTY,
  "POST /api/email/verification": json(messageResponse, 202),
  "POST /api/email/verify": json(emailVerifiedResponse),
  "POST /api/email/change": json(messageResponse, 202),
  "POST /api/email/change/confirm": json(emailChangeResponse),
  "POST /api/password": EMPTY,
  "POST /api/password/forgot": json(messageResponse),
  "POST /api/password/reset": json(messageResponse),
  "GET /api/account/activity": json(activityResponse),
  "GET /api/account/erasure": json(erasureResponse),
  "POST /api/account/erasure": json(erasureResponse, 202),
  "DELETE /api/account/erasure": json(erasureResponse),
  "GET /api/account/export": json(exportResponse),
  "POST /api/account/export": json(exportResponse, 202),
  "POST /api/account/export/ticket": json(exportDownloadResponse),
  "GET /api/account/export/file": file("application/zip"),
  "GET /api/account/sign-in-methods": json(signInMethodsResponse),
  "POST /api/account/authenticator": json(authenticatorSetupResponse, 201),
  "POST /api/account/authenticator/confirm": json(recoveryCodesResponse),
  "POST /api/account/authenticator/recovery-codes": json(recoveryCodesResponse),
  "DELETE /api/account/authenticator": EMPTY,
  "POST /api/account/passkeys/options": json(passkeyOptionsResponse),
  "POST /api/account/passkeys": json(passkeyResponse, 201),
  "DELETE /api/account/passkeys/:id": EMPTY,
  "POST /api/account/google/link": json(googleRedirectResponse),
  "POST /api/account/google/callback": EMPTY,
  "DELETE /api/account/google": EMPTY,
  "POST /api/newsletter": json(messageResponse, 202),
  "POST /api/newsletter/confirm": json(messageResponse),
  "POST /api/newsletter/unsubscribe": json(messageResponse),
  "GET /api/billing/balance": json(balanceResponse),
  "GET /api/billing/transactions": json(transactionsResponse),
  "GET /api/billing/packages": json(packagesResponse),
  "POST /api/billing/top-up": json(checkoutResponse),
  "POST /api/billing/purchase-package": json(checkoutResponse),
  "POST /api/billing/confirm": json(confirmResponse),
  "POST /api/billing/test-credit": json(testCreditResponse),
  "GET /api/billing/auto-top-up": json(autoTopUpResponse),
  "PUT /api/billing/auto-top-up": json(autoTopUpResponse),
  "POST /api/billing/cards": json(saveCardResponse),
  "DELETE /api/billing/cards/:id": json(autoTopUpResponse),
  "GET /api/billing/receipts": json(receiptsResponse),
  "GET /api/billing/receipts/:id": json(receiptResponse),
  "GET /api/billing/statements": json(statementsResponse),
  "GET /api/billing/statements/:month": json(statementResponse),
  "POST /api/billing/document-ticket": json(documentTicketResponse),
  "GET /api/billing/document": file("application/pdf", "text/csv"),
  "GET /api/billing/withdrawals": json(withdrawalsResponse),
  "POST /api/billing/withdrawals": json(withdrawalResponse),
  "POST /api/billing/promo/check": json(promoCheckResponse),
  "GET /api/referral": json(referralResponse),
  "POST /api/referral/claim": json(referralClaimResponse),
  "GET /api/rates": json(ratesResponse),
  "GET /api/rates/countries": json(countriesResponse),
  "POST /api/rates/get-rate": json(getRateResponse),
  "POST /api/rates/lookup-number": json(lookupNumberResponse),
  "GET /api/calls/token": json(voiceTokenResponse),
  "POST /api/calls/initiate": json(initiateResponse, 201),
  "POST /api/calls/quote": json(callQuoteResponse),
  "GET /api/calls/live": json(liveCallResponse),
  "GET /api/calls/:id": json(callResponse),
  "POST /api/calls/:id/leave": json(callResponse),
  "POST /api/calls/:id/hangup": json(callResponse),
  "POST /api/calls/:id/extend": json(extendResponse),
  "PATCH /api/calls/:id/control-id": json(callResponse),
  "GET /api/calls/:id/details": json(callDetailsResponse),
  "POST /api/calls/:id/quality": json(qualityResponse),
  "POST /api/calls/:id/refund-request": json(refundRequestResponse, 201),
  "POST /api/calls/echo-test": json(echoTestResponse, 201),
  "GET /api/calls/guard-rails": json(guardRailsResponse),
  "PUT /api/calls/guard-rails": json(guardRailsResponse),
  "GET /api/calls/caller-id": json(callerIdResponse),
  "PUT /api/calls/caller-id": json(callerIdResponse),
  "POST /api/calls/caller-id/checks": json(callerIdResponse, 201),
  "POST /api/calls/caller-id/checks/confirm": json(callerIdResponse),
  "DELETE /api/calls/caller-id/numbers/:number": json(callerIdResponse),
  "GET /api/calls/history": json(historyResponse),
  "GET /api/calls/totals": json(totalsResponse),
  "GET /api/calls/countries": json(calledCountriesResponse),
  "GET /api/calls/suggestions": json(suggestionsResponse),
  "GET /api/calls/summary": json(summaryResponse),
  "POST /api/calls/export-ticket": json(exportTicketResponse),
  "GET /api/calls/export": file("text/csv"),
  "GET /api/contacts": json(contactsResponse),
  "POST /api/contacts": json(contactResponse, 201),
  "PUT /api/contacts/:id": json(contactResponse),
  "DELETE /api/contacts/:id": EMPTY,
  "POST /api/contacts/:id/favorite": json(contactResponse),
  "POST /api/contacts/import": json(importResponse),
  "POST /api/contacts/export-ticket": json(contactExportResponse),
  "GET /api/contacts/export": file("text/csv", "text/vcard"),
  "GET /api/cases": json(casesResponse),
  "POST /api/cases": json(caseResponse, 201),
  "POST /api/webhooks/stripe": json(receivedResponse),
  "POST /api/webhooks/telnyx": json(receivedResponse),
};

/** Other resources of the service (pages, files, metrics), by URL pattern. */
export function pageResponse(url: string): ApiResponse {
  if (url === "/metrics" || url.endsWith(".txt")) return file("text/plain");
  if (url === "/sitemap.xml") return file("application/xml");
  if (/\.[a-z]\w+$/.test(url) || url.endsWith("*")) return file("application/octet-stream");
  return file("text/html");
}

/** Request bodies read as raw bytes instead of by a schema. */
export const rawBodies: Readonly<Record<string, { readonly type: string; readonly signature?: string }>> = {
  "POST /api/contacts/import": { type: "multipart/form-data" },
  "POST /api/webhooks/stripe": { type: "application/json", signature: "stripe-signature" },
  "POST /api/webhooks/telnyx": { type: "application/json", signature: "telnyx-signature-ed25519" },
};
