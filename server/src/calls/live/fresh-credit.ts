import type { Micros } from "@farline/domain/money.ts";
import type { RiskTier } from "@farline/domain/calls/risk-tier.ts";
import { readFreshPayments } from "../../risk/risk.ts";
import { CALL_LIMITS, scaledMicros } from "../authorise/call-limits.ts";
import type { CallMachinery } from "../call-machinery.ts";
import { readSpending } from "../authorise/spending.store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * What calls above class A may cost in 24 hours, in micro-dollars, while payments are fresh: a stolen card is noticed
 * within a day. All credit that was there before, and of each fresh payment the part that its tier allows. Null when
 * nothing is fresh or the tier may use all of it. Ordinary calls use the rest of a fresh payment first.
 */
export async function freshCreditLimit(
  m: Pick<CallMachinery, "handle" | "clock" | "ledger" | "config">,
  customerId: string,
  tier: RiskTier,
): Promise<Micros | null> {
  const now = m.clock.now();
  const scale = m.config.limitsScale;
  const { freshCredit } = CALL_LIMITS[tier];
  if ("percent" in freshCredit && scaledPercent(freshCredit.percent, scale) >= 100n) return null;
  const fresh = await readFreshPayments(m.handle.db, customerId, now);
  if (fresh.length === 0) return null;
  const { availableMicros } = await m.ledger.balance(m.handle.pool, customerId);
  const spentMicros = await readSpending(m.handle.db, customerId, new Date(now.getTime() - DAY_MS));
  const freshMicros = fresh.reduce((sum, one) => sum + one.chargeMicros + one.bonusMicros, 0n);
  const olderMicros = availableMicros + spentMicros - freshMicros;
  const usable = (chargeMicros: Micros) =>
    "percent" in freshCredit
      ? (chargeMicros * scaledPercent(freshCredit.percent, scale)) / 100n
      : least(chargeMicros, scaledMicros(freshCredit.micros, scale));
  return fresh.reduce((sum, one) => sum + usable(one.chargeMicros), olderMicros > 0n ? olderMicros : 0n);
}

function scaledPercent(percent: bigint, scale: number): bigint {
  return BigInt(Math.floor(Number(percent) * scale));
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
