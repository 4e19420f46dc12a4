import { findCustomer } from "../accounts/accounts.ts";
import { enqueueMail } from "../mail/mail.ts";
import { MOVES_NOTHING, type Verb } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import type { Tx } from "../platform/database/database.ts";
import { answerOpenCase, closeOneCase, findCaseByNumber, type QueuedCase } from "./case.store.ts";
import type { Context, OperatorContext } from "../context.ts";

const NUMBER = /^#?([1-9]\d{0,14})$/;

/** @throws AppError not_found */
export async function findCase({ handle }: Context, number: string): Promise<QueuedCase> {
  return find(handle.db, number);
}

/** Answers an open case: the customer reads the answer by mail and in their list. */
const answer: Verb<"answer-case", string> = {
  plan: (tx, ctx, { number, answer: text }) =>
    // The answer may contain personal details, so the audit record omits it.
    planDecision(tx, number, "The customer asked", async (found) => {
      const at = ctx.clock.now();
      const answered = await answerOpenCase(tx, found.number, { answer: text, at });
      if (answered === undefined) throw inState(found, found.state);
      const customer = await findCustomer(tx, found.customer_id);
      if (customer === undefined) return;
      const data = { name: customer.name, number: String(found.number), answer: text };
      const { email: to, language } = customer;
      await enqueueMail(tx, { template: "case_answered", data, to, language, key: `case answered ${found.id}`, at });
    }),
  finish: publishCases,
  respond: () => undefined,
};

/** Closes a case without a mail. */
const close: Verb<"close-case", string> = {
  plan: (tx, ctx, { number, reason }) =>
    planDecision(tx, number, reason, async (found) => {
      const closed = await closeOneCase(tx, found.number, ctx.clock.now());
      if (closed === undefined) throw inState(found, "closed");
    }),
  finish: publishCases,
  respond: () => undefined,
};

export const caseVerbs = { "answer-case": answer, "close-case": close };

/** Its result is the customer. @throws AppError not_found; conflict if it is not in a state for it */
async function planDecision(tx: Tx, number: string, reason: string, decide: (found: QueuedCase) => Promise<void>) {
  const found = await find(tx, number);
  return {
    customerId: found.customer_id,
    subject: `case ${found.number}`,
    moves: MOVES_NOTHING,
    reason,
    run: async () => {
      await decide(found);
      return { result: found.customer_id };
    },
  };
}

async function publishCases({ live }: OperatorContext, customerId: string): Promise<string> {
  live.publish(customerId, { type: "cases" });
  return customerId;
}

function inState({ number }: QueuedCase, state: string): AppError {
  return new AppError("conflict", { reason: "operator.case_state", params: { case: String(number), state } });
}

async function find(tx: Tx, typed: string): Promise<QueuedCase> {
  const number = NUMBER.exec(typed)?.[1];
  const found = number === undefined ? undefined : await findCaseByNumber(tx, BigInt(number));
  if (found === undefined) throw new AppError("not_found", { reason: "operator.no_case", params: { case: typed } });
  return found;
}
