import { firstNameOf } from "@farline/domain/business/passed-on-text.ts";
import { giftLink, MAX_CREDIT_REQUESTS } from "@farline/contract/constants.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { randomUUID } from "node:crypto";
import { linkUses } from "../../mail/mail.ts";
import { AppError } from "../../platform/app-error.ts";
import { linkToken, readLinkToken } from "../../platform/settings/secret-keys.ts";
import { lockPaymentsOf, type Payer } from "../record/payment.store.ts";
import type { ServiceContext } from "../../context.ts";
import { findAsker, insertCreditRequest, readCreditRequests, type CreditRequest } from "./gift.store.ts";

const OPEN_DAYS = 30;

/** The link of a request. Its token lets a signed-in person see a first name and pay, and nothing else. */
export function linkOf({ config }: ServiceContext, { id }: Pick<CreditRequest, "id">): string {
  return `${config.publicUrl}${giftLink.path}?${giftLink.token}=${linkToken(config.secretKeys, linkUses.creditRequest, id)}`;
}

/**
 * Makes a link by which others can buy credit for this customer.
 * @throws AppError email_unverified; conflict if there are too many
 */
export async function askForCredit(ctx: ServiceContext, customer: Payer): Promise<CreditRequest> {
  if (!customer.emailVerified) throw new AppError("forbidden", { reason: "credit_request_unverified" });
  const now = ctx.clock.now();
  return ctx.transaction(async (tx) => {
    await lockPaymentsOf(tx, customer.id);
    if ((await readCreditRequests(tx, customer.id, now)).length >= MAX_CREDIT_REQUESTS)
      throw new AppError("conflict", { reason: "credit_requests_full", params: { most: MAX_CREDIT_REQUESTS } });
    const request = {
      id: randomUUID(),
      customer_id: customer.id,
      created_at: now,
      expires_at: new Date(now.getTime() + OPEN_DAYS * DAY_MS),
    };
    await insertCreditRequest(tx, request);
    return request;
  });
}

/**
 * The person behind a link. It says nothing about the account but the first name that its owner gave the link for.
 * @throws AppError link_expired
 */
export async function openCreditRequest(ctx: ServiceContext, token: string): Promise<{ id: string; firstName: string }> {
  const requestId = readLinkToken(ctx.config.secretKeys, linkUses.creditRequest, token);
  const asker = requestId === null ? undefined : await findAsker(ctx.handle.db, requestId, ctx.clock.now());
  if (asker === undefined) throw new AppError("link_expired");
  return { id: asker.id, firstName: firstNameOf(asker.name) };
}
