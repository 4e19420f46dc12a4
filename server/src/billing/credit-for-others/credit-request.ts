import { firstNameOf, MAX_GREETING_CHARS, readPassedOn } from "@farline/domain/business/passed-on-text.ts";
import type { Micros } from "@farline/domain/money.ts";
import { mailLinkPaths, MAX_CREDIT_REQUESTS } from "@farline/contract/constants.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { randomUUID } from "node:crypto";
import { linkUses } from "../../mail/mail.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Tx } from "../../platform/database/database.ts";
import { linkToken, readLinkToken } from "../../platform/settings/secret-keys.ts";
import { lockPaymentsOf, type Payer } from "../record/payment.store.ts";
import type { ServiceContext } from "../../context.ts";
import { deleteCreditRequest, findAsker, insertCreditRequest, readCreditRequests, type CreditRequest } from "./gift.store.ts";

const OPEN_DAYS = 30;

/** The link of a request. Whoever has it sees a first name and what its maker wrote, and can pay; nothing else. */
export function linkOf({ config }: ServiceContext, { id }: Pick<CreditRequest, "id">): string {
  return `${config.publicUrl}${mailLinkPaths.creditRequest}#t=${linkToken(config.secretKeys, linkUses.creditRequest, id)}`;
}

/** What a link says besides its maker's first name. */
interface Said {
  readonly amountMicros: Micros | null;
  readonly note: string;
  readonly country: string | null;
}

/**
 * Makes a link by which others can buy credit for this customer.
 * @param replaces the link that ends with it; repeating this returns the link that took its place
 * @throws AppError email_unverified; validation_failed for a note with an address; conflict if there are too many; not_found without the
 * link to replace
 */
export async function askForCredit(
  ctx: ServiceContext,
  customer: Payer,
  said: Said,
  replaces: string | null,
): Promise<CreditRequest> {
  if (!customer.emailVerified) throw new AppError("forbidden", { reason: "credit_request_unverified" });
  const note = readPassedOn(said.note, MAX_GREETING_CHARS);
  if (note === null) throw new AppError("validation_failed", { reason: "gift_greeting", field: "note" });
  const now = ctx.clock.now();
  return ctx.transaction(async (tx) => {
    await lockPaymentsOf(tx, customer.id);
    const open = await readCreditRequests(tx, customer.id, now);
    if (replaces !== null) {
      const done = open.find((one) => one.replaces === replaces);
      if (done !== undefined) return done;
      await endCreditRequest(tx, customer.id, replaces);
    }
    if (open.filter(({ id }) => id !== replaces).length >= MAX_CREDIT_REQUESTS)
      throw new AppError("conflict", { reason: "credit_requests_full", params: { most: MAX_CREDIT_REQUESTS } });
    const request = {
      id: randomUUID(),
      customer_id: customer.id,
      created_at: now,
      expires_at: new Date(now.getTime() + OPEN_DAYS * DAY_MS),
      amount_micros: said.amountMicros,
      note,
      country_code: said.country,
      replaces,
    };
    await insertCreditRequest(tx, request);
    return request;
  });
}

/** Ends a link. @throws AppError not_found */
export async function endCreditRequest(tx: Tx, customerId: string, id: string): Promise<void> {
  if (!isUuid(id) || !(await deleteCreditRequest(tx, customerId, id)))
    throw new AppError("not_found", { reason: "credit_request_unknown" });
}

/**
 * The person behind a link, and what they wrote. It says nothing else about the account.
 * @throws AppError link_expired
 */
export async function openCreditRequest(ctx: ServiceContext, token: string): Promise<Said & { id: string; firstName: string }> {
  const requestId = readLinkToken(ctx.config.secretKeys, linkUses.creditRequest, token);
  const asker = requestId === null ? undefined : await findAsker(ctx.handle.db, requestId, ctx.clock.now());
  if (asker === undefined) throw new AppError("link_expired");
  const { id, name, amount_micros: amountMicros, note, country_code: country } = asker;
  return { id, firstName: firstNameOf(name), amountMicros, note, country };
}
