import { findCustomer } from "../accounts/accounts.ts";
import { enqueueMail } from "../mail/mail.ts";
import { MOVES_NOTHING, recordOperation } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import type { Tx } from "../platform/database/database.ts";
import {
  answerOpenCase,
  closeOneCase,
  findCaseByNumber,
  countAllOpenCases,
  listOpenCases,
  type QueuedCase,
} from "./case.store.ts";
import type { Context, OperatorContext } from "../context.ts";

/** Cases per list. */
const MAX_SHOWN = 100;
/** In characters. */
const LONGEST_ANSWER = 4000;
const NUMBER = /^#?([1-9]\d{0,14})$/;

/** Open cases, oldest first. */
export function openCases({ handle }: Context): Promise<QueuedCase[]> {
  return listOpenCases(handle.db, MAX_SHOWN);
}

/** How many cases are open, of which `openCases` lists the oldest 100. */
export function countCases({ handle }: Context): Promise<number> {
  return countAllOpenCases(handle.db);
}

/** @throws AppError not_found */
export async function findCase({ handle }: Context, number: string): Promise<QueuedCase> {
  return find(handle.db, number);
}

/**
 * Answers an open case: the customer reads the answer by mail and in their list.
 * @throws AppError not_found; conflict if it is not open; validation_failed for an empty or too long answer
 */
export async function answerCase(ctx: OperatorContext, order: { number: string; answer: string }): Promise<void> {
  const answer = order.answer.trim();
  if (answer === "" || answer.length > LONGEST_ANSWER)
    throw new AppError("validation_failed", { reason: "operator.answer_length", params: { max: LONGEST_ANSWER } });
  const at = ctx.clock.now();
  await decide(ctx, order, async (tx, found) => {
    const answered = await answerOpenCase(tx, found.number, { answer, at });
    if (answered === undefined)
      throw new AppError("conflict", {
        reason: "operator.case_state",
        params: { case: String(found.number), state: found.state },
      });
    const customer = await findCustomer(tx, found.customer_id);
    if (customer !== undefined)
      await enqueueMail(tx, {
        template: "case_answered",
        data: { name: customer.name, number: String(found.number), answer },
        to: customer.email,
        language: customer.language,
        key: `case answered ${found.id}`,
        at,
      });
    // The answer may contain personal details, so the audit record omits it.
    return { action: "answer-case", reason: "The customer asked" };
  });
}

/** Closes a case without a mail. @throws AppError not_found; conflict if it is closed */
export async function closeCase(ctx: OperatorContext, order: { number: string; reason: string }): Promise<void> {
  const at = ctx.clock.now();
  await decide(ctx, order, async (tx, found) => {
    const closed = await closeOneCase(tx, found.number, at);
    if (closed === undefined)
      throw new AppError("conflict", { reason: "operator.case_state", params: { case: String(found.number), state: "closed" } });
    return { action: "close-case", reason: order.reason };
  });
}

async function decide(
  ctx: OperatorContext,
  { number }: { number: string },
  run: (tx: Tx, found: QueuedCase) => Promise<{ action: string; reason: string }>,
): Promise<void> {
  const customerId = await ctx.transaction(async (tx) => {
    const found = await find(tx, number);
    const done = await run(tx, found);
    await recordOperation(tx, ctx, {
      moves: MOVES_NOTHING,
      customerId: found.customer_id,
      subject: `case ${found.number}`,
      ...done,
    });
    return found.customer_id;
  });
  ctx.live.publish(customerId, { type: "cases" });
}

async function find(tx: Tx, typed: string): Promise<QueuedCase> {
  const number = NUMBER.exec(typed)?.[1];
  const found = number === undefined ? undefined : await findCaseByNumber(tx, BigInt(number));
  if (found === undefined) throw new AppError("not_found", { reason: "operator.no_case", params: { case: typed } });
  return found;
}
