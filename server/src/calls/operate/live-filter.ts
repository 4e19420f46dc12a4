import { isUuid } from "@farline/domain/uuid.ts";
import { findCustomerId } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { LiveFilter } from "./live-calls.store.ts";

/** Which live calls an operator means. Without any of these, all. */
export interface LiveQuery {
  readonly call?: string | undefined;
  /** Id or email address. */
  readonly customer?: string | undefined;
  /** The start of the called numbers, with or without the plus. */
  readonly prefix?: string | undefined;
}

const PREFIX = /^\+?([1-9]\d{0,14})$/;

/** @throws AppError not_found, validation_failed */
export async function parseLiveFilter(tx: Tx, query: LiveQuery): Promise<LiveFilter | null> {
  const { call, customer, prefix } = query;
  if (call !== undefined) {
    if (!isUuid(call)) throw new AppError("not_found", { reason: "operator.no_call", params: { call } });
    return { call };
  }
  if (customer !== undefined) {
    const id = await findCustomerId(tx, customer);
    if (id === undefined) throw new AppError("not_found", { reason: "operator.no_customer", params: { customer } });
    return { customer: id };
  }
  if (prefix === undefined) return null;
  const digits = PREFIX.exec(prefix.trim())?.[1];
  if (digits === undefined) throw new AppError("validation_failed", { reason: "operator.number_form" });
  return { prefix: `+${digits}` };
}
