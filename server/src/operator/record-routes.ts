import type { OperationResponse } from "@farline/contract/operator/record.ts";
import type { ServiceContext } from "../context.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { listOperations, type OperationRow } from "./operations.store.ts";

const PAGE = 50;

/** `/api/operator/record`: what operators did. */
export function recordRoutes(app: App, { handle }: ServiceContext): void {
  serve(app, "GET /api/operator/record", async ({ query }) => {
    const rows = await listOperations(handle.db, { ...query, limit: PAGE + 1 });
    const shown = rows.slice(0, PAGE);
    return { operations: shown.map(toOperation), next_cursor: rows.length > PAGE ? (shown.at(-1)?.id ?? null) : null };
  });
}

function toOperation(row: OperationRow): OperationResponse {
  const { id, happened_at: at, operator_id: operatorId, operator: name, action, customer_id, subject, reason, detail } = row;
  return { id, at: at.toISOString(), operator: { id: operatorId, name }, action, customer_id, subject, reason, detail };
}
