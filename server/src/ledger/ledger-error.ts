import { formatDollars, toDecimalString, upToCents } from "@farline/domain/money.ts";
import { AppError } from "../platform/app-error.ts";

/**
 * Maps the SQL functions' error codes (FL…, see sql/accounts.sql) to the service's errors. Codes that indicate a bug in the calling
 * code become plain errors.
 */
export async function mapErrors<Result>(statement: Promise<Result>): Promise<Result> {
  try {
    return await statement;
  } catch (error) {
    throw toLedgerError(error);
  }
}

function toLedgerError(error: unknown): unknown {
  const { code, detail, constraint, message } = error as {
    code?: string;
    detail?: string;
    constraint?: string;
    message?: string;
  };
  if (code === "FL001") {
    const { required, available, debt } = parseDetail(detail ?? "");
    return insufficientCredit({ requiredMicros: required, availableMicros: available, debtMicros: debt });
  }
  if (code === "FL008") return notWithdrawable(detail ?? "");
  if (code === "FL005") return new AppError("conflict", { reason: "operator.call_settled", cause: error });
  if (
    code === "FL002" ||
    constraint === "ledger_transaction_key" ||
    constraint === "ledger_transaction_restored_once" ||
    constraint === "hold_pkey"
  )
    return new AppError("conflict", { reason: "repeated_with_other_content", cause: error });
  if (code?.startsWith("FL")) return new Error(`The ledger refused an invalid call: ${message ?? ""}`, { cause: error });
  return error;
}

/** The error for too little available credit. The missing amount includes debt. */
export function insufficientCredit(of: { requiredMicros: bigint; availableMicros: bigint; debtMicros: bigint }): AppError {
  const { requiredMicros: required, availableMicros: available, debtMicros: debt } = of;
  const missing = required + debt - available;
  return new AppError("insufficient_credit", {
    reason: debt > 0n ? "credit_needed_with_debt" : "credit_needed",
    params: { missing: dollarsUp(missing), ...(debt > 0n ? { debt: dollarsUp(debt) } : {}) },
    credit: { required: toDecimalString(required), available: toDecimalString(available), missing: toDecimalString(missing) },
  });
}

function notWithdrawable(detail: string): AppError {
  const { required, available } = parseDetail(detail);
  return new AppError("insufficient_credit", {
    reason: "withdrawable_at_most",
    params: { max: formatDollars(available) },
    credit: {
      required: toDecimalString(required),
      available: toDecimalString(available),
      missing: toDecimalString(required - available),
    },
  });
}

function parseDetail(detail: string): { required: bigint; available: bigint; debt: bigint } {
  const parsed = JSON.parse(detail) as { required: string; available: string; debt: string };
  return { required: BigInt(parsed.required), available: BigInt(parsed.available), debt: BigInt(parsed.debt) };
}

function dollarsUp(micros: bigint): string {
  return `$${toDecimalString(upToCents(micros))}`;
}
