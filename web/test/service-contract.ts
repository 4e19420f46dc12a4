import * as access from "@farline/contract/account-access.ts";
import { activityResponse } from "@farline/contract/account-activity.ts";
import * as accounts from "@farline/contract/accounts.ts";
import * as autoTopUp from "@farline/contract/auto-top-up.ts";
import * as billing from "@farline/contract/billing.ts";
import * as documents from "@farline/contract/billing-documents.ts";
import * as details from "@farline/contract/call-details.ts";
import * as history from "@farline/contract/call-history.ts";
import * as callerId from "@farline/contract/caller-id.ts";
import * as calls from "@farline/contract/calls.ts";
import * as cases from "@farline/contract/cases/cases.ts";
import * as contacts from "@farline/contract/contacts.ts";
import * as google from "@farline/contract/google.ts";
import * as erasure from "@farline/contract/personal-data/erasure.ts";
import * as dataExport from "@farline/contract/personal-data/export.ts";
import * as promotions from "@farline/contract/promotions.ts";
import * as rates from "@farline/contract/rates.ts";
import * as factors from "@farline/contract/second-factor.ts";
import { z } from "zod";

/** An answer without a body (204). */
const nothing = z.undefined();

/** What the web app asks of the service, and by which schemas question and answer are held to the contract. */
export const SERVICE_CONTRACT = {
  "GET /config": { answer: accounts.configResponse },
  "GET /user": { answer: accounts.userResponse },
  "PATCH /user": { body: access.userChangeRequest, answer: accounts.userResponse },
  "POST /register": { body: accounts.registerRequest, answer: accounts.sessionResponse },
  "POST /login": { body: accounts.loginRequest, answer: accounts.signInResponse },
  "POST /login/second-factor": { body: factors.secondFactorRequest, answer: accounts.sessionResponse },
  "POST /login/passkey/options": { answer: factors.passkeyOptionsResponse },
  "POST /login/passkey": { body: factors.passkeySignInRequest, answer: accounts.sessionResponse },
  "GET /auth/google/redirect": { answer: google.googleRedirectResponse },
  "POST /auth/google/callback": { body: google.googleCallbackRequest, answer: accounts.signInResponse },
  "POST /logout": { answer: nothing },
  "POST /password/forgot": { body: access.passwordForgotRequest, answer: access.messageResponse },
  "POST /password/reset": { body: access.passwordResetRequest, answer: access.messageResponse },
  "POST /password": { body: access.passwordChangeRequest, answer: nothing },
  "POST /reauthenticate": { body: access.reauthenticateRequest, answer: nothing },
  "POST /email/verify": { body: access.linkRequest, answer: access.emailVerifiedResponse },
  "POST /email/verification": { answer: access.messageResponse },
  "POST /email/change": { body: access.emailChangeRequest, answer: access.messageResponse },
  "POST /email/change/confirm": { body: access.linkRequest, answer: access.emailChangeResponse },
  "POST /newsletter/confirm": { body: access.linkRequest, answer: access.messageResponse },
  "POST /newsletter/unsubscribe": { body: access.linkRequest, answer: access.messageResponse },
  "GET /sessions": { answer: access.sessionsResponse },
  "DELETE /sessions": { query: access.endSessionsQuery, answer: nothing },
  "DELETE /sessions/:id": { answer: nothing },
  "GET /account/activity": { answer: activityResponse },
  "GET /account/erasure": { answer: erasure.erasureResponse },
  "POST /account/erasure": { body: erasure.erasureRequest, answer: erasure.erasureResponse },
  "DELETE /account/erasure": { answer: erasure.erasureResponse },
  "GET /account/export": { answer: dataExport.exportResponse },
  "POST /account/export": { answer: dataExport.exportResponse },
  "POST /account/export/ticket": { body: access.linkRequest, answer: dataExport.exportDownloadResponse },
  "GET /account/sign-in-methods": { answer: factors.signInMethodsResponse },
  "POST /account/authenticator": { answer: factors.authenticatorSetupResponse },
  "POST /account/authenticator/confirm": {
    body: factors.authenticatorConfirmRequest,
    answer: factors.recoveryCodesResponse,
  },
  "POST /account/authenticator/recovery-codes": { answer: factors.recoveryCodesResponse },
  "DELETE /account/authenticator": { answer: nothing },
  "POST /account/passkeys/options": { answer: factors.passkeyOptionsResponse },
  "POST /account/passkeys": { body: factors.passkeyCreateRequest, answer: factors.passkeyResponse },
  "DELETE /account/passkeys/:id": { answer: nothing },
  "POST /account/google/link": { answer: google.googleRedirectResponse },
  "POST /account/google/callback": { body: google.googleCallbackRequest, answer: nothing },
  "DELETE /account/google": { answer: nothing },
  "GET /referral": { answer: promotions.referralResponse },
  "POST /referral/claim": { body: promotions.referralClaimRequest, answer: promotions.referralClaimResponse },
  "GET /billing/balance": { answer: billing.balanceResponse },
  "GET /billing/packages": { answer: billing.packagesResponse },
  "GET /billing/transactions": { query: billing.transactionsQuery, answer: billing.transactionsResponse },
  "POST /billing/top-up": { body: billing.topUpRequest, answer: billing.checkoutResponse },
  "POST /billing/purchase-package": { body: billing.purchasePackageRequest, answer: billing.checkoutResponse },
  "POST /billing/test-credit": { body: billing.testCreditRequest, answer: billing.testCreditResponse },
  "POST /billing/confirm": { body: billing.confirmRequest, answer: billing.confirmResponse },
  "POST /billing/promo/check": { body: promotions.promoCheckRequest, answer: promotions.promoCheckResponse },
  "GET /billing/withdrawals": { answer: billing.withdrawalsResponse },
  "POST /billing/withdrawals": { body: billing.withdrawalRequest, answer: billing.withdrawalResponse },
  "GET /billing/auto-top-up": { answer: autoTopUp.autoTopUpResponse },
  "PUT /billing/auto-top-up": { body: autoTopUp.autoTopUpRequest, answer: autoTopUp.autoTopUpResponse },
  "POST /billing/cards": { answer: autoTopUp.saveCardResponse },
  "DELETE /billing/cards/:id": { answer: autoTopUp.autoTopUpResponse },
  "GET /billing/receipts": { answer: documents.receiptsResponse },
  "GET /billing/receipts/:id": { answer: documents.receiptResponse },
  "GET /billing/statements": { answer: documents.statementsResponse },
  "GET /billing/statements/:month": { answer: documents.statementResponse },
  "POST /billing/document-ticket": { body: documents.documentTicketRequest, answer: documents.documentTicketResponse },
  "GET /rates": { answer: rates.ratesResponse },
  "GET /rates/countries": { answer: rates.countriesResponse },
  "POST /rates/lookup-number": { body: rates.lookupNumberRequest, answer: rates.lookupNumberResponse },
  "GET /calls/history": { query: history.historyQuery, answer: calls.historyResponse },
  "GET /calls/totals": { query: history.callFilter, answer: history.totalsResponse },
  "GET /calls/countries": { answer: history.calledCountriesResponse },
  "GET /calls/suggestions": { answer: history.suggestionsResponse },
  "GET /calls/summary": { query: history.summaryQuery, answer: history.summaryResponse },
  "POST /calls/export-ticket": { body: history.callFilter, answer: history.exportTicketResponse },
  "GET /calls/live": { query: calls.liveCallQuery, answer: calls.liveCallResponse },
  "GET /calls/token": { answer: calls.voiceTokenResponse },
  "GET /calls/caller-id": { answer: callerId.callerIdResponse },
  "PUT /calls/caller-id": { body: callerId.callerChoiceRequest, answer: callerId.callerIdResponse },
  "POST /calls/caller-id/checks": { body: callerId.callerCheckRequest, answer: callerId.callerIdResponse },
  "POST /calls/caller-id/checks/confirm": { body: callerId.callerCodeRequest, answer: callerId.callerIdResponse },
  "DELETE /calls/caller-id/numbers/:number": { answer: callerId.callerIdResponse },
  "GET /calls/guard-rails": { answer: calls.guardRailsResponse },
  "PUT /calls/guard-rails": { body: calls.guardRailsRequest, answer: calls.guardRailsResponse },
  "POST /calls/quote": { body: calls.quoteRequest, answer: calls.callQuoteResponse },
  "POST /calls/initiate": { body: calls.initiateRequest, answer: calls.initiateResponse },
  "POST /calls/echo-test": { answer: calls.echoTestResponse },
  "GET /calls/:id": { query: calls.callQuery, answer: calls.callResponse },
  "GET /calls/:id/details": { answer: details.callDetailsResponse },
  "POST /calls/:id/hangup": { answer: calls.callResponse },
  "POST /calls/:id/extend": { answer: calls.extendResponse },
  "POST /calls/:id/leave": { body: calls.leaveRequest, answer: nothing },
  "PATCH /calls/:id/control-id": { body: calls.controlIdRequest, answer: nothing },
  "POST /calls/:id/quality": { body: details.qualityRequest, answer: details.qualityResponse },
  "POST /calls/:id/refund-request": { body: details.refundRequestRequest, answer: details.refundRequestResponse },
  "GET /cases": { query: billing.pageQuery, answer: cases.casesResponse },
  "POST /cases": { body: cases.caseRequest, answer: cases.caseResponse },
  "GET /contacts": { query: contacts.contactsQuery, answer: contacts.contactsResponse },
  "POST /contacts": { body: contacts.contactRequest, answer: contacts.contactResponse },
  "PUT /contacts/:id": { body: contacts.contactRequest, answer: contacts.contactResponse },
  "DELETE /contacts/:id": { answer: nothing },
  "POST /contacts/:id/favorite": { answer: contacts.contactResponse },
  "POST /contacts/import": { query: contacts.importQuery, answer: contacts.importResponse },
  "POST /contacts/export-ticket": { body: contacts.contactExportRequest, answer: contacts.contactExportResponse },
} as const satisfies Record<string, RouteContract>;

export interface RouteContract {
  readonly answer: z.ZodType;
  readonly body?: z.ZodType;
  readonly query?: z.ZodType;
}

export type Route = keyof typeof SERVICE_CONTRACT;
export type AnswerOf<R extends Route> = z.input<(typeof SERVICE_CONTRACT)[R]["answer"]>;
