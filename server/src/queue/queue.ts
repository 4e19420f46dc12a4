import { DAY_MS } from "@farline/domain/durations.ts";
import { maskNumber } from "@farline/domain/mask-personal.ts";
import { formatDollars, toDecimalString } from "@farline/domain/money.ts";
import type { ApprovalResponse, QueueItem, QueueResponse } from "@farline/contract/operator/queue.ts";
import { type Approval, MOVES_NOTHING, operatorOf, readProposals, type Verb, whyNotConfirm } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import { CSV_START, csvRecord } from "../platform/csv.ts";
import { type EvidenceRow, findDisputedPayment, readEvidence } from "./evidence.store.ts";
import { actingAs, type Context, type Operator, type ServiceContext } from "../context.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import type { QueueRow } from "./queue.store.ts";
import { presentQueueCounts, type QueuePage, readQueue } from "./read-queue.ts";
import { findCustomer } from "../accounts/accounts.ts";

export { presentQueueCounts, countQueue, readQueue, type QueuePage } from "./read-queue.ts";

const DASHBOARD = "https://dashboard.stripe.com";

/** Sign-ins are kept for 90 days. */
const SIGN_INS_MS = 90 * DAY_MS;

/** Sign-ins, and calls. */
const MOST_ROWS = 2_000;

const COLUMNS = ["Time (UTC)", "What", "Detail", "Number called (masked)", "Seconds", "Amount (USD)"] as const;

/**
 * The evidence about a disputed payment as a CSV file: account, payment, receipts, refunds, sign-ins, and the calls made with its credit,
 * their numbers masked.
 */
const exportEvidence: Verb<"export-evidence", { readonly name: string; readonly csv: string }> = {
  plan: async (tx, ctx, { dispute }) => {
    const payment = await findDisputedPayment(tx, dispute);
    if (payment === undefined) throw new AppError("not_found", { reason: "operator.no_dispute", params: { dispute } });
    const signInsSince = new Date(ctx.clock.now().getTime() - SIGN_INS_MS);
    const rows = await readEvidence(tx, payment, { signInsSince, most: MOST_ROWS });
    const head = [["Customer", payment.name, payment.email], ["Dispute", payment.dispute_id], COLUMNS];
    const csv = CSV_START + [...head, ...rows.map(toCells)].map((cells) => csvRecord(cells)).join("");
    return {
      ...{ customerId: payment.customer_id, subject: payment.dispute_id, moves: MOVES_NOTHING, detail: { rows: rows.length } },
      run: async () => ({ result: { name: `evidence-${payment.dispute_id}.csv`, csv } }),
    };
  },
  respond: ({ result }) => result ?? { name: "", csv: "" },
};

export const evidenceVerbs = { "export-evidence": exportEvidence };

function toCells({ at, what, detail, number, seconds, amount_micros: amount }: EvidenceRow): string[] {
  return [
    at.toISOString(),
    what,
    detail,
    // Without the plus, which a spreadsheet would take for a formula.
    number === null ? "" : maskNumber(number).slice(1),
    seconds === null ? "" : String(seconds),
    amount === null ? "" : toDecimalString(amount),
  ];
}

/** `/api/operator/queue`: what waits for an operator. */
export function queueRoutes(app: App, ctx: ServiceContext): void {
  serve(app, "GET /api/operator/queue", async (request) => {
    const operator = operatorOf(request);
    return present(ctx, await readQueue(actingAs(ctx, operator), request.query), operator);
  });

  serve(app, "GET /api/operator/queue/counts", async (request) => {
    return { counts: await presentQueueCounts(actingAs(ctx, operatorOf(request))) };
  });
}

async function present(ctx: ServiceContext, { rows, nextCursor }: QueuePage, operator: Operator): Promise<QueueResponse> {
  const proposals = await readProposals(
    ctx,
    rows.filter(({ kind }) => kind === "approval").map(({ id }) => id),
  );
  const items = rows.map((row) => presentRow(ctx, row, { operator, proposal: proposals.find(({ id }) => id === row.id) }));
  return { items: await Promise.all(items), next_cursor: nextCursor };
}

async function presentRow(
  ctx: ServiceContext,
  row: QueueRow,
  { operator, proposal }: { operator: Operator; proposal: Approval | undefined },
): Promise<QueueItem> {
  const {
    kind,
    id,
    since,
    due,
    amount_micros: amount,
    customer_id: customerId,
    email,
    name,
    language,
    code,
    state,
    text,
    facts,
  } = row;
  return {
    kind,
    id,
    since: since.toISOString(),
    due_at: due.toISOString(),
    amount: amount === null ? null : toDecimalString(amount),
    customer:
      customerId === null || email === null ? null : { id: customerId, email, name: name ?? "", language: language ?? "" },
    code,
    state,
    text,
    facts,
    approval: proposal === undefined ? null : await presentApproval(ctx, proposal, operator),
    provider_url: providerUrl(ctx, row),
  };
}

/** Where a dispute is answered or a refund looked up: the provider's dashboard, or the sandbox's list of payments. */
function providerUrl({ config }: ServiceContext, { kind, id, payment_at_provider: payment }: QueueRow): string | null {
  if (kind !== "dispute" && kind !== "slow_refund") return null;
  if (config.sandboxUrl !== null) return `${config.sandboxUrl}/sandbox/stripe/payments`;
  const page = kind === "dispute" ? `disputes/${encodeURIComponent(id)}` : `payments/${payment}`;
  return `${DASHBOARD}/${config.mode === "live" ? "" : "test/"}${page}`;
}

/** A proposal as this operator sees it. */
async function presentApproval({ handle, clock }: Context, approval: Approval, operator: Operator): Promise<ApprovalResponse> {
  const { id, action, customer_id: customerId, subject, amount_micros: amount, detail, reason, proposer } = approval;
  const customer = customerId === null ? undefined : await findCustomer(handle.db, customerId);
  const refusal = await whyNotConfirm(handle.db, approval, operator, clock.now());
  return {
    id,
    action,
    customer: customer === undefined ? null : { id: customer.id, email: customer.email },
    subject,
    amount: amount === null ? null : formatDollars(amount),
    detail,
    reason,
    proposed_by: { id: approval.proposed_by, name: proposer },
    proposed_at: approval.proposed_at.toISOString(),
    expires_at: approval.expires_at.toISOString(),
    can: canDo(approval, operator, refusal),
    cannot: refusal?.message ?? null,
  };
}

function canDo(approval: Approval, operator: Operator, refusal: AppError | null): ApprovalResponse["can"] {
  if (approval.proposed_by === operator.id) return ["withdraw"];
  if (refusal === null) return ["confirm", "reject"];
  return refusal.code === "forbidden" ? [] : ["reject"];
}
