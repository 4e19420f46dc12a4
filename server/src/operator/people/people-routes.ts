import { pageOf } from "../../platform/read-cursor.ts";
import type { ListedOperatorResponse, OperationResponse } from "@farline/contract/operator/people.ts";
import type { ServiceContext } from "../../context.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { readOperators } from "./change-operator.ts";
import type { ListedOperator } from "./operator.store.ts";
import { listOperations, type ListedOperation } from "../operations.store.ts";

const PAGE = 50;

/** `/api/operator/operators`: who runs the service. */
export function peopleRoutes(app: App, ctx: ServiceContext): void {
  serve(app, "GET /api/operator/operators", async () => ({
    operators: (await readOperators(ctx)).map((one) => toListed(one, ctx.clock.now())),
  }));
}

function toListed(one: ListedOperator, now: Date): ListedOperatorResponse {
  const {
    id,
    email,
    name,
    role,
    created_at: createdAt,
    hasPassword: password,
    passkeys,
    sessions,
    invitedUntil,
    linkProposer: proposer,
  } = one;
  const until = invitedUntil?.toISOString() ?? null;
  const from = one.trusted_from > now ? one.trusted_from.toISOString() : null;
  const link = proposer === null || one.linkUntil === null ? null : { proposer, until: one.linkUntil.toISOString() };
  const signIn = { password, passkeys, sessions, second_person_from: from, invited_until: until, link };
  return { id, email, name, role, created_at: createdAt.toISOString(), ...signIn };
}

/** `/api/operator/audit-log`: what operators did. */
export function auditLogRoutes(app: App, { handle }: ServiceContext): void {
  serve(app, "GET /api/operator/audit-log", async ({ query }) => {
    const rows = await listOperations(handle.db, { ...query, limit: PAGE + 1 });
    const { shown, next } = pageOf(rows, PAGE, ({ id }) => id);
    return { operations: shown.map(toOperation), next_cursor: next };
  });
}

function toOperation(row: ListedOperation): OperationResponse {
  const {
    id,
    happened_at: at,
    operator_id: operatorId,
    operator: name,
    action,
    customer_id: customerId,
    subject,
    reason,
    detail,
  } = row;
  const customer = customerId === null ? null : { id: customerId, email: row.email ?? "" };
  return { id, at: at.toISOString(), operator: { id: operatorId, name }, action, customer, subject, reason, detail };
}
