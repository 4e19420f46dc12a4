import type { FastifyRequest } from "fastify";
import { actingAs, type Context } from "../context.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import {
  adjustCredit,
  confirmCustomerAddress,
  endCustomerSessions,
  freezeAccount,
  resendVerification,
  unfreezeAccount,
  writeOffDebt,
} from "./change-account.ts";
import { operatorOf } from "./people/operator-guard.ts";
import { orProposed } from "./second-operator.ts";

/** `/api/operator/customers`: what operators do for one customer. */
export function customerRoutes(app: App, ctx: Context): void {
  const by = (request: FastifyRequest) => actingAs(ctx, operatorOf(request));

  serve(app, "POST /api/operator/customers/:id/freeze", async (request) => ({
    changed: await freezeAccount(by(request), { customer: request.params.id, ...request.body }),
  }));

  serve(app, "POST /api/operator/customers/:id/unfreeze", async (request) => {
    const order = { customer: request.params.id, ...request.body };
    const { proposal, done } = await orProposed(unfreezeAccount(by(request), order));
    return { changed: done === true, proposal };
  });

  serve(app, "POST /api/operator/customers/:id/end-sessions", (request) =>
    endCustomerSessions(by(request), { customer: request.params.id, ...request.body }),
  );

  serve(app, "POST /api/operator/customers/:id/confirm-address", async (request) => ({
    changed: await confirmCustomerAddress(by(request), { customer: request.params.id, ...request.body }),
  }));

  serve(app, "POST /api/operator/customers/:id/resend-verification", async (request) => ({
    changed: await resendVerification(by(request), { customer: request.params.id, ...request.body }),
  }));

  serve(app, "POST /api/operator/customers/:id/adjust", async (request) => {
    const { amount, take, ...order } = request.body;
    const amountMicros = take ? -amount : amount;
    const { proposal } = await orProposed(adjustCredit(by(request), { customer: request.params.id, amountMicros, ...order }));
    return { proposal };
  });

  serve(app, "POST /api/operator/customers/:id/write-off", async (request) => {
    const { proposal } = await orProposed(writeOffDebt(by(request), { customer: request.params.id, ...request.body }));
    return { proposal };
  });
}
