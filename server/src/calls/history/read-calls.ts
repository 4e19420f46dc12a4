import { isUuid } from "@farline/domain/uuid.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import type { CallContext } from "../call-context.ts";
import { isTicketOf } from "../record/call-secrets.ts";
import { findCallById, findCallOf } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";

/** @throws AppError not_found, also for other customers' calls and for malformed ids */
export async function readCall(ctx: CallContext, customer: Customer, id: string): Promise<CallRow> {
  const call = isUuid(id) ? await findCallOf(ctx.handle.db, customer.id, id) : undefined;
  if (call === undefined) throw new AppError("not_found", { reason: "call_unknown" });
  return call;
}

/** For a closing page, which cannot send its bearer token. @throws AppError not_found if the ticket belongs to another call */
export async function readCallByTicket(ctx: CallContext, id: string, ticket: string): Promise<CallRow> {
  const call = isUuid(id) ? await findCallById(ctx.handle.db, id) : undefined;
  if (call === undefined || !isTicketOf(call, ticket)) throw new AppError("not_found", { reason: "call_unknown" });
  return call;
}
