import type { CaseRequest } from "@farline/contract/cases/cases.ts";
import type { Context } from "../context.ts";
import { uuidv7 } from "uuidv7";
import type { Customer } from "../accounts/accounts.ts";
import { askerOf, enqueueMail } from "../mail/mail.ts";
import { AppError } from "../platform/app-error.ts";
import type { Transaction } from "../platform/database/database.ts";
import type { RateLimit } from "../platform/http/rate-limit.ts";
import {
  countOpenCases,
  findCaseByRequestKey,
  insertCase,
  ownsSubject,
  readCase,
  lockCasesOf,
  type CaseRow,
} from "./case.store.ts";

/** Open questions per customer. */
export const MAX_OPEN_CASES = 5;

/**
 * Stores a customer's question for the operators and confirms it by mail. Repeating a request with
 * the same key returns the same case.
 * @throws AppError not_found for a call or payment of somebody else; too_many_cases, rate_limited; conflict if the key was used for
 * another question
 */
export async function openCase(
  ctx: Context,
  customer: Customer,
  input: { request: CaseRequest; requestKey: string | null; perDay: RateLimit },
): Promise<CaseRow> {
  const { request, requestKey, perDay } = input;
  const known = requestKey === null ? undefined : await findCaseByRequestKey(ctx.handle.db, customer.id, requestKey);
  if (known !== undefined) return same(known, request);
  await perDay.take(customer.id);
  try {
    const { row, isNew } = await ctx.transaction((tx) => store(tx, ctx, customer, { request, requestKey }));
    if (!isNew) await perDay.giveBack(customer.id);
    ctx.live.publish(customer.id, { type: "cases" });
    return row;
  } catch (error) {
    await perDay.giveBack(customer.id);
    throw error;
  }
}

async function store(
  tx: Transaction,
  { clock }: Context,
  customer: Customer,
  { request, requestKey }: { request: CaseRequest; requestKey: string | null },
): Promise<{ row: CaseRow; isNew: boolean }> {
  await lockCasesOf(tx, customer.id);
  const known = requestKey === null ? undefined : await findCaseByRequestKey(tx, customer.id, requestKey);
  if (known !== undefined) return { row: same(known, request), isNew: false };
  const { topic, message, about } = request;
  if (about !== null && !(await ownsSubject(tx, customer.id, about)))
    throw new AppError("not_found", { reason: about.type === "call" ? "subject_call_unknown" : "subject_payment_unknown" });
  if ((await countOpenCases(tx, customer.id)) >= MAX_OPEN_CASES)
    throw new AppError("too_many_cases", { params: { max: MAX_OPEN_CASES } });
  const at = clock.now();
  const id = uuidv7();
  await insertCase(tx, {
    id,
    customer_id: customer.id,
    topic,
    message,
    call_id: about?.type === "call" ? about.id : null,
    payment_id: about?.type === "payment" ? about.id : null,
    state: "open",
    request_key: requestKey,
    created_at: at,
  });
  const row = await readCase(tx, id);
  await enqueueMail(tx, {
    asker: askerOf(customer),
    template: "case_received",
    data: { name: customer.name, number: String(row.number), topic },
    to: customer.email,
    language: customer.language,
    key: `case received ${id}`,
    at,
  });
  return { row, isNew: true };
}

function same(known: CaseRow, { topic, message, about }: CaseRequest): CaseRow {
  const isSame =
    known.topic === topic && known.message === message && (known.call_id ?? known.payment_id) === (about?.id ?? null);
  if (!isSame) throw new AppError("conflict", { reason: "repeated_with_other_question" });
  return known;
}
