import type { ReconciliationResponse, SupportCaseResponse } from "@farline/contract/operator/business.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";
import { latestReconciliation } from "../billing/billing.ts";
import { findCase, type QueuedCase } from "../cases/cases.ts";
import type { Context } from "../context.ts";
import { readClosingAccountOf } from "../personal-data/personal-data.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { readPromos } from "../promotions/promotions.ts";
import { breakerText, readBreakers } from "../risk/risk.ts";
import { readSettingHistory, readSettings } from "../settings/settings.ts";

/** What operators read of the business beside its customers: settings, promo codes, breakers, the comparison with the payment provider. */
export function businessRoutes(app: App, ctx: Context): void {
  serve(app, "GET /api/operator/settings", async () => ({ settings: await readSettings(ctx) }));
  serve(app, "GET /api/operator/settings/:setting", ({ params }) => readSettingHistory(ctx, params.setting));
  serve(app, "GET /api/operator/promos", async () => ({ promos: await readPromos(ctx) }));
  serve(app, "GET /api/operator/breakers", async () => {
    const { spentMicros, breakers } = await readBreakers(ctx);
    const present = breakers.map((one) => ({
      ...{ id: one.id, kind: one.kind, text: breakerText(one) },
      ...{ until: one.until.toISOString(), lifted_at: one.lifted_at?.toISOString() ?? null },
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
      ...{ from: run.from_time.toISOString(), to: run.to_time.toISOString(), charges: run.charges ?? 0 },
      ...{ provider: formatDollars(run.provider_micros ?? 0n), ledger: formatDollars(run.ledger_micros ?? 0n) },
      ...{ repaired: run.repaired ?? 0, differences: run.differences ?? 0 },
    },
    differences: differences.map((one) => ({
      ...{ kind: one.kind, payment_id: one.payment_id, reference: one.reference, detail: one.detail },
      ...{ provider: amountOrNull(one.provider_micros), ledger: amountOrNull(one.ledger_micros) },
      found_at: one.found_at?.toISOString() ?? null,
    })),
  };
}

function presentCase(one: QueuedCase): SupportCaseResponse {
  const { call_id: call, payment_id: payment, answer, answered_at: answeredAt } = one;
  return {
    ...{ number: String(one.number), topic: one.topic, state: one.state, at: one.created_at.toISOString(), message: one.message },
    customer: { id: one.customer_id, email: one.email },
    call: call === null ? null : { id: call, number: one.call_number },
    payment: payment === null ? null : { id: payment, amount: formatDollars(one.payment_micros ?? 0n) },
    answer: answer === null || answeredAt === null ? null : { text: answer, at: answeredAt.toISOString() },
  };
}

function amountOrNull(micros: Micros | null): string | null {
  return micros === null ? null : formatDollars(micros);
}
