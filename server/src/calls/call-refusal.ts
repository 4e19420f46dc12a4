import { toDecimalString } from "@farline/domain/money.ts";
import { uuidv7 } from "uuidv7";
import { toLedgerError } from "../ledger/ledger.ts";
import { AppError } from "../platform/app-error.ts";
import { blocksAccountMs } from "./call-limits.ts";
import type { CallMachinery } from "./call-machinery.ts";
import { insertBlock } from "./call-block.store.ts";

const CHANGE_THEM = "You can change your limits in your account.";

/** What migration 062 raises, as the service's errors; a pattern that stops the account is noted. */
export async function refusalOf(
  m: Pick<CallMachinery, "handle" | "clock" | "log">,
  customerId: string,
  error: unknown,
): Promise<unknown> {
  const { code, detail = "" } = error as { code?: string; detail?: string };
  switch (code) {
    case "FC001":
      return new AppError("too_many_live_calls", "You already have a call. End it first.");
    case "FC002":
      return tooOften("Too many calls in a short time.", Math.max(1, Number(detail)));
    case "FC003":
      return new AppError("country_not_allowed", `Your own limits do not allow calls to this country. ${CHANGE_THEM}`);
    case "FC004":
      return new AppError(
        "call_cap_too_low",
        `Your own limit for one call is $${toDecimalString(BigInt(detail))}, which is too little for this call. ${CHANGE_THEM}`,
      );
    case "FC005":
      return new AppError(
        "daily_cap_reached",
        `You have reached your own limit for today: $${toDecimalString(BigInt(detail))} of it is left. ${CHANGE_THEM}`,
      );
    case "FC006":
      return refusedByRule(m, customerId, detail);
    default:
      return toLedgerError(error);
  }
}

async function refusedByRule(
  m: Pick<CallMachinery, "handle" | "clock" | "log">,
  customerId: string,
  detail: string,
): Promise<AppError> {
  const { rule, seconds, inputs } = JSON.parse(detail) as { rule: string; seconds: number; inputs: unknown };
  m.log.warn({ customer: customerId, rule, inputs }, "call refused by a rule against abuse");
  const blockMs = blocksAccountMs[rule];
  const now = m.clock.now();
  if (blockMs !== undefined)
    await insertBlock(m.handle.db, {
      id: uuidv7(),
      customer_id: customerId,
      rule,
      inputs: JSON.stringify(inputs),
      created_at: now,
      blocked_until: new Date(now.getTime() + blockMs),
    });
  return tooOften(RULE_TEXTS[rule] ?? PAUSED, Math.max(1, seconds));
}

const PAUSED = "Calls from your account are paused, because they look automatic. Write to us if they are not.";
const RULE_TEXTS: Readonly<Record<string, string>> = {
  same_number: "You called this number many times.",
  numbers: "You called many different numbers in one day.",
  countries: "You called many different countries in one day.",
  spend: "You have spent what a new account may spend on calls in one day.",
};

function tooOften(text: string, retryAfterSeconds: number): AppError {
  return new AppError("rate_limited", `${text} Try again in ${waitText(retryAfterSeconds)}.`, { retryAfterSeconds });
}

function waitText(seconds: number): string {
  if (seconds <= 90) return `${seconds} seconds`;
  return seconds <= 90 * 60 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}
