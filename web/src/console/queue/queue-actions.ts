import type { QueueItem, QueueKind } from "@farline/contract/operator/queue.ts";
import { saveFile } from "../../browser/save-file.ts";
import { consoleRequest } from "../console-request.ts";

/** An answer to a row of the queue. */
export interface QueueAction {
  readonly label: string;
  /** What it does. */
  readonly text: string;
  /** A reason for the record, or what the customer reads. */
  readonly asks: "reason" | "answer" | "answer if wanted";
  /** Red, for what ends something. */
  readonly ends?: boolean;
  /** @returns what happened */
  readonly run: (item: QueueItem, words: string) => Promise<string>;
}

const QUESTION: readonly QueueAction[] = [
  {
    label: "Answer",
    text: "The customer gets the answer by mail and reads it on their page.",
    asks: "answer",
    run: async ({ id }, answer) => {
      await consoleRequest("POST /api/operator/cases/:number/answer", { params: { number: id }, body: { answer } });
      return "The answer is on its way to the customer.";
    },
  },
  {
    label: "Close",
    text: "The question is closed without an answer and without a mail.",
    asks: "reason",
    ends: true,
    run: async ({ id }, reason) => {
      await consoleRequest("POST /api/operator/cases/:number/close", { params: { number: id }, body: { reason } });
      return "The question is closed.";
    },
  },
];

const REFUND_REQUEST: readonly QueueAction[] = [
  {
    label: "Refund",
    text: "The whole charge of the call goes back to the customer's balance. Above your limit a second operator must confirm it.",
    asks: "answer if wanted",
    run: async ({ id }, answer) => {
      const { proposal } = await consoleRequest("POST /api/operator/calls/:id/refund", {
        params: { id },
        body: { reason: null, answer: answer === "" ? null : answer },
      });
      return proposal === null
        ? "The charge is back on the customer's account."
        : "It is above your limit, so another operator must confirm it.";
    },
  },
  {
    label: "Decline",
    text: "The customer reads why.",
    asks: "answer",
    run: async ({ id }, answer) => {
      await consoleRequest("POST /api/operator/refund-requests/:call/decline", { params: { call: id }, body: { answer } });
      return "The request is declined.";
    },
  },
];

const REVIEW: readonly QueueAction[] = [
  {
    label: "Unfreeze",
    text: "The customer can call and pay again, and gets a mail.",
    asks: "reason",
    run: async ({ id }, reason) => {
      await consoleRequest("POST /api/operator/reviews/:customer", {
        params: { customer: id },
        body: { verdict: "unfreeze", reason },
      });
      return "The account is unfrozen.";
    },
  },
  {
    label: "Keep frozen",
    text: "The account stays frozen. Refund what is unspent, or change limits, on the customer's page.",
    asks: "reason",
    ends: true,
    run: async ({ id }, reason) => {
      await consoleRequest("POST /api/operator/reviews/:customer", {
        params: { customer: id },
        body: { verdict: "keep", reason },
      });
      return "The account stays frozen.";
    },
  },
];

function handled(as: "answered" | "accepted", text: string): QueueAction {
  return {
    label: `Mark as ${as}`,
    text,
    asks: "reason",
    ...(as === "accepted" ? { ends: true } : {}),
    run: async ({ id }, reason) => {
      await consoleRequest("POST /api/operator/disputes/:id/handled", { params: { id }, body: { as, reason } });
      return `The dispute is ${as}.`;
    },
  };
}

const DISPUTE: readonly QueueAction[] = [
  {
    label: "Evidence as CSV",
    text: "Account, payment, receipts, refunds, sign-ins, and the calls made with its credit, for the bank. Numbers are masked.",
    asks: "reason",
    run: async ({ id }, reason) => {
      const { name, csv } = await consoleRequest("POST /api/operator/disputes/:id/evidence", {
        params: { id },
        body: { reason },
      });
      saveFile(name, csv, "text/csv;charset=utf-8");
      return "The evidence is saved.";
    },
  },
  handled("answered", "Do this after you have sent the evidence at the payment provider. The bank decides."),
  handled("accepted", "Do this after you have accepted the dispute at the payment provider. The money is lost."),
];

const ACTIONS: Readonly<Record<QueueKind, readonly QueueAction[]>> = {
  question: QUESTION,
  refund_request: REFUND_REQUEST,
  review: REVIEW,
  dispute: DISPUTE,
  // A proposal has its own row.
  approval: [],
  // It leaves by itself.
  slow_refund: [],
};

/** How a row can be answered. Every role that sees it may do so. */
export function actionsOn({ kind }: QueueItem): readonly QueueAction[] {
  return ACTIONS[kind];
}
