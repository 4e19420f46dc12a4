import type { EndpointName } from "@farline/contract/api/api.ts";
import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { declarationOf, operationNames, type OperationName } from "@farline/contract/operator/operations.ts";
import type { FastifyRequest } from "fastify";
import { actingAs, type ServiceContext } from "../context.ts";
import { operatorOf, readProposals, requireRight, rightToDecide, type Outcome } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { performInService, readProposed, verbOf } from "./perform.ts";

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
