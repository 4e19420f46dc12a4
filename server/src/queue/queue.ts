import { DAY_MS } from "@farline/domain/durations.ts";
import { maskNumber } from "@farline/domain/mask-personal.ts";
import { formatDollars, toDecimalString } from "@farline/domain/money.ts";
import { destinationWords } from "@farline/contract/operator/words/call-words.ts";
import { methodText, receiptWords, refundStatusWords } from "@farline/contract/operator/words/money-words.ts";
import { activityWords, wordFor } from "@farline/contract/operator/words/words.ts";
import type { ApprovalResponse, CaseHolder, QueueItem, QueueResponse } from "@farline/contract/operator/queue.ts";
import { type Approval, MOVES_NOTHING, operatorOf, readProposals, type Verb, whyNotConfirm } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import { CSV_START, csvRecord } from "../platform/csv.ts";
import { type EvidenceRow, findDisputedPayment, readEvidence } from "./evidence.store.ts";
import { actingAs, type Context, type Operator, type ServiceContext } from "../context.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { caseHolders, type CaseHolderRow, openCase, type QueueRow, takeOverCase } from "./queue.store.ts";
import { presentQueueCounts, type QueuePage, readQueue } from "./read-queue.ts";
import { findCustomer } from "../accounts/accounts.ts";

export { presentQueueCounts } from "./read-queue.ts";

const DASHBOARD = "https://dashboard.stripe.com";

/** A case counts as open so long after the console last said so; it says so every 30 s. */
const OPEN_FOR_MS = 2 * 60_000;

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
      customerId: payment.customer_id,
      subject: payment.dispute_id,
      moves: MOVES_NOTHING,
      detail: { rows: rows.length },
      run: async () => ({ result: { name: `evidence-${payment.dispute_id}.csv`, csv } }),
    };
  },
  respond: ({ result }) => result ?? { name: "", csv: "" },
};

export const evidenceVerbs = { "export-evidence": exportEvidence };

/** What the bank reads for each kind of fact and its code. */
const FACTS: Readonly<Record<string, (code: string) => { readonly what?: string; readonly detail?: string }>> = {
  payment: (method) => ({ detail: methodText(method) }),
  receipt: (kind) => ({ what: wordFor(receiptWords, kind) }),
  refund: (status) => ({ detail: wordFor(refundStatusWords, status) }),
  account: (kind) => ({ what: wordFor(activityWords, kind) }),
  call: (to) => ({ detail: destinationWords(to.slice(0, COUNTRY_LENGTH), to.slice(COUNTRY_LENGTH + 1)) }),
};
const COUNTRY_LENGTH = 2;

function toCells({ at, what, detail, code, number, seconds, amount_micros: amount }: EvidenceRow): string[] {
  const said = code === null ? {} : (FACTS[what]?.(code) ?? {});
  return [
    at.toISOString(),
    said.what ?? what,
    [detail, said.detail].filter(Boolean).join(", "),
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

  serve(app, "POST /api/operator/queue/open", async (request) => {
    const { kind, id, take_over: takesOver } = request.body;
    return { held_by: await openForOperator(ctx, operatorOf(request), { subject: subjectOf({ kind, id }), takesOver }) };
  });

  serve(app, "GET /api/operator/queue/counts", async (request) => {
    return { counts: await presentQueueCounts(actingAs(ctx, operatorOf(request))) };
  });
}

/**
 * Notes that an operator has a case open. It keeps nobody from answering: of two answers the second is refused as ever.
 * @returns who else has it open, and had it first
 */
async function openForOperator(
  { handle: { db }, clock }: Context,
  operator: Operator,
  { subject, takesOver }: { subject: string; takesOver: boolean },
): Promise<CaseHolder | null> {
  const now = clock.now();
  const opened = { operatorId: operator.id, subject, now, liveSince: liveSince(now) };
  if (takesOver) await takeOverCase(db, opened);
  await openCase(db, opened);
  return presentHolder((await caseHolders(db, { ...opened, subjects: [subject] }))[0]);
}

function liveSince(now: Date): Date {
  return new Date(now.getTime() - OPEN_FOR_MS);
}

function subjectOf({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `${kind}:${id}`;
}

function presentHolder(holder: CaseHolderRow | undefined): CaseHolder | null {
  return holder === undefined ? null : { name: holder.name, since: holder.since.toISOString() };
}

async function present(ctx: ServiceContext, { rows, nextCursor }: QueuePage, operator: Operator): Promise<QueueResponse> {
  const proposals = await readProposals(
    ctx,
    rows.filter(({ kind }) => kind === "approval").map(({ id }) => id),
  );
  const opened = { operatorId: operator.id, subjects: rows.map(subjectOf), liveSince: liveSince(ctx.clock.now()) };
  const holders = await caseHolders(ctx.handle.db, opened);
  const items = rows.map((row) =>
    presentRow(ctx, row, {
      operator,
      proposal: proposals.find(({ id }) => id === row.id),
      holder: holders.find(({ subject }) => subject === subjectOf(row)),
    }),
  );
  return { items: await Promise.all(items), next_cursor: nextCursor };
}

async function presentRow(
  ctx: ServiceContext,
  row: QueueRow,
  { operator, proposal, holder }: { operator: Operator; proposal: Approval | undefined; holder: CaseHolderRow | undefined },
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
    held_by: presentHolder(holder),
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
