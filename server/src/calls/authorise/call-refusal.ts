import type { ErrorCode } from "@farline/contract/errors.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { uuidv7 } from "uuidv7";
import { toLedgerError } from "../../ledger/ledger.ts";
import { AppError } from "../../platform/http/app-error.ts";
import { tooOften } from "../../platform/http/too-often.ts";
import { blocksAccountMs } from "./call-limits.ts";
import type { CallMachinery } from "../call-machinery.ts";
import { insertBlock } from "./call-block.store.ts";
import { noteRefusal, type Refused } from "./note-refusal.ts";

const CHANGE_THEM = "You can change your limits in your account.";

type Parts = Pick<CallMachinery, "handle" | "clock" | "log">;

/** What `authorise_call` raises, as the service's errors; each is logged with its rule, and a pattern stops the account. */
export async function refusalOf(m: Parts, refused: Refused, error: unknown): Promise<unknown> {
  const { code, detail = "" } = error as { code?: string; detail?: string };
  const note = (rule: string, inputs: unknown) => noteRefusal(m, refused, rule, inputs);
  switch (code) {
    case "FC001":
      note("live_calls", null);
      return new AppError("too_many_live_calls", "You already have a call. End it first.");
    case "FC002":
      note("calls_in_a_time", { seconds: detail });
      return tooOften(Number(detail), "Too many calls in a short time.");
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
      return refusedByRule(m, refused, detail);
    default:
      return toLedgerError(error);
  }
}

async function refusedByRule(m: Parts, refused: Refused, detail: string): Promise<AppError> {
  const { rule, seconds, inputs } = JSON.parse(detail) as { rule: string; seconds: number; inputs: unknown };
  noteRefusal(m, refused, rule, inputs);
  if (rule === "fresh_credit") return new AppError("fresh_credit", FRESH_CREDIT, { retryAfterSeconds: Math.max(1, seconds) });
  const blockMs = blocksAccountMs[rule];
  const now = m.clock.now();
  if (blockMs !== undefined)
    await insertBlock(m.handle.db, {
      id: uuidv7(),
      customer_id: refused.customerId,
      rule,
      inputs: JSON.stringify(inputs),
      created_at: now,
      blocked_until: new Date(now.getTime() + blockMs),
    });
  const [code, text] = RULE_TEXTS[rule] ?? PAUSED;
  return tooOften(seconds, text, code);
}

const FRESH_CREDIT =
  "Most of a new payment can be used for calls like this only after 24 hours. For calls to less expensive destinations all of it can be used now.";
const PAUSED = [
  "calls_paused",
  "Calls from your account are paused, because they look automatic. Write to us if they are not.",
] as const;
const RULE_TEXTS: Readonly<Record<string, readonly [code: ErrorCode, text: string]>> = {
  same_number: ["rate_limited", "You called this number many times."],
  numbers: ["too_many_destinations", "You called many different numbers in one day."],
  countries: ["too_many_destinations", "You called many different countries in one day."],
  spend: ["spend_limit_reached", "You have spent what your account may spend on calls like this in one day."],
};
