import type { EndpointName } from "@farline/contract/api/api.ts";
import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { declarationOf, type OperationName, operationNames } from "@farline/contract/operator/operations.ts";
import type { FastifyRequest } from "fastify";
import type { ReconciliationResponse, SupportCaseResponse } from "@farline/contract/operator/business.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";
import { actingAs, type Context, type ServiceContext } from "../context.ts";
import { operatorOf, type Outcome, readProposals, requireRight, rightToDecide } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { performInService, readProposed, verbOf } from "./perform.ts";
import { latestReconciliation } from "../billing/billing.ts";
import { findCase, type QueuedCase } from "../cases/cases.ts";
import { readClosingAccountOf } from "../personal-data/personal-data.ts";
import { readPromos } from "../promotions/promotions.ts";
import { breakerText, readBreakers } from "../risk/risk.ts";
import { readSettingHistory, readSettings } from "../settings/settings.ts";

/** The routes of all operations, and the one by which a second operator confirms a proposal. */
export function operationRoutes(app: App, ctx: ServiceContext): void {
  for (const name of operationNames) operationRoute(app, ctx, name);

  serve(app, "POST /api/operator/approvals/:id/confirm", async (request) => {
    const { id } = request.params;
    const [approval] = await readProposals(ctx, [id]);
    if (approval === undefined) throw new AppError("not_found", { reason: "operator.no_proposal", params: { proposal: id } });
    const operator = { ...operatorOf(request), right: rightToDecide(approval) };
    requireRight(operator.role, operator.right);
    const { name, order } = await readProposed(actingAs(ctx, operator), approval);
    const outcome: Outcome<unknown> = await performInService(ctx, operator, name, order);
    // The provider may refuse what the service has booked.
    const { status, failure } = (outcome.result ?? {}) as { readonly status?: string; readonly failure?: string | null };
    return { failure: name === "refund" && status === "failed" ? (failure ?? "") : null };
  });
}

function operationRoute<N extends OperationName>(app: App, ctx: ServiceContext, name: N): void {
  const { route, subject } = declarationOf(name);
  const respond = verbOf(name).respond as (outcome: Outcome<unknown>) => never;
  const handler = async (request: FastifyRequest) => {
    const [about] = Object.values(request.params as Readonly<Record<string, string>>);
    const input = { ...(request.body as object), ...(subject === null ? {} : { [subject]: about }) } as OperationInput<N>;
    return respond(await performInService(ctx, operatorOf(request), name, { input, confirms: null }));
  };
  serve(app, route as EndpointName, handler as never);
}

/** What operators read of the business beside its customers: settings, promo codes, breakers, the comparison with the payment provider. */
export function businessRoutes(app: App, ctx: Context): void {
  serve(app, "GET /api/operator/settings", async () => ({ settings: await readSettings(ctx) }));
  serve(app, "GET /api/operator/settings/:setting", ({ params }) => readSettingHistory(ctx, params.setting));
  serve(app, "GET /api/operator/promos", async () => ({ promos: await readPromos(ctx) }));
  serve(app, "GET /api/operator/breakers", async () => {
    const { spentMicros, breakers } = await readBreakers(ctx);
    const present = breakers.map((one) => ({
      id: one.id,
      kind: one.kind,
      text: breakerText(one),
      until: one.until.toISOString(),
      lifted_at: one.lifted_at?.toISOString() ?? null,
    }));
    return { spent: formatDollars(spentMicros), breakers: present };
  });
  serve(app, "GET /api/operator/reconciliation", () => readReconciliation(ctx));
  serve(app, "GET /api/operator/cases/:number", async ({ params }) => presentCase(await findCase(ctx, params.number)));
  serve(app, "GET /api/operator/customers/:id/erasure", ({ params }) => readClosingAccountOf(ctx, params.id));
}

async function readReconciliation({ handle }: Context): Promise<ReconciliationResponse> {
  const found = await latestReconciliation(handle.db);
  if (found === null) return { latest: null, differences: [] };
  const { run, differences } = found;
  return {
    latest: {
      from: run.from_time.toISOString(),
      to: run.to_time.toISOString(),
      charges: run.charges ?? 0,
      provider: formatDollars(run.provider_micros ?? 0n),
      ledger: formatDollars(run.ledger_micros ?? 0n),
      repaired: run.repaired ?? 0,
      differences: run.differences ?? 0,
    },
    differences: differences.map((one) => ({
      kind: one.kind,
      payment_id: one.payment_id,
      reference: one.reference,
      detail: one.detail,
      provider: amountOrNull(one.provider_micros),
      ledger: amountOrNull(one.ledger_micros),
      found_at: one.found_at?.toISOString() ?? null,
    })),
  };
}

function presentCase(one: QueuedCase): SupportCaseResponse {
  const { call_id: call, payment_id: payment, answer, answered_at: answeredAt } = one;
  return {
    number: String(one.number),
    topic: one.topic,
    state: one.state,
    at: one.created_at.toISOString(),
    message: one.message,
    customer: { id: one.customer_id, email: one.email },
    call: call === null ? null : { id: call, number: one.call_number },
    payment: payment === null ? null : { id: payment, amount: formatDollars(one.payment_micros ?? 0n) },
    answer: answer === null || answeredAt === null ? null : { text: answer, at: answeredAt.toISOString() },
  };
}

function amountOrNull(micros: Micros | null): string | null {
  return micros === null ? null : formatDollars(micros);
}
