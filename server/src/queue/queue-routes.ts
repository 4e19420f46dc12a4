import type { QueueItem, QueueResponse } from "@farline/contract/operator/queue.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { presentApproval } from "../operations/operations.ts";
import { actingAs, type Operator, type ServiceContext } from "../context.ts";
import { decideReview, operatorOf, readProposals, type Approval } from "../operator/operator.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import type { QueueRow } from "./queue.store.ts";
import { presentQueueCounts, readQueue, type QueuePage } from "./read-queue.ts";

/** `/api/operator/queue`: what waits for an operator, and the answers. */
export function queueRoutes(app: App, ctx: ServiceContext): void {
  serve(app, "GET /api/operator/queue", async (request) => {
    const operator = operatorOf(request);
    return present(ctx, await readQueue(actingAs(ctx, operator), request.query), operator);
  });

  serve(app, "GET /api/operator/queue/counts", async (request) => {
    return { counts: await presentQueueCounts(actingAs(ctx, operatorOf(request))) };
  });

  serve(app, "POST /api/operator/reviews/:customer", (request) =>
    decideReview(actingAs(ctx, operatorOf(request)), { ...request.params, ...request.body }),
  );
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
  const { kind, id, since, due, amount_micros: amount, customer_id: customerId, email, title, text, detail } = row;
  return {
    kind,
    id,
    since: since.toISOString(),
    due_at: due.toISOString(),
    amount: amount === null ? null : toDecimalString(amount),
    customer: customerId === null || email === null ? null : { id: customerId, email },
    title,
    text,
    detail,
    approval: proposal === undefined ? null : await presentApproval(ctx, proposal, operator),
    provider_url: providerUrl(ctx, row),
  };
}

const DASHBOARD = "https://dashboard.stripe.com";

/** Where a dispute is answered or a refund looked up: the provider's dashboard, or the sandbox's list of payments. */
function providerUrl({ config }: ServiceContext, { kind, id, detail }: QueueRow): string | null {
  if (kind !== "dispute" && kind !== "slow_refund") return null;
  if (config.sandboxUrl !== null) return `${config.sandboxUrl}/sandbox/stripe/payments`;
  const page = kind === "dispute" ? `disputes/${encodeURIComponent(id)}` : `payments/${String(detail["payment_at_provider"])}`;
  return `${DASHBOARD}/${config.mode === "live" ? "" : "test/"}${page}`;
}
