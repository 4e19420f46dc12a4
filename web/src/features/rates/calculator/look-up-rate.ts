import type { ErrorBody, NumberAlternative } from "@farline/contract/errors.ts";
import { anySignal } from "../../../service/any-signal.ts";
import type { NumberRate } from "./calculator-state.ts";

const LOOKUP_TIMEOUT_MS = 10_000;

/** A number's rate, or the numbers that may be meant. Neither without an answer: the calculator then keeps the average. */
interface LookedUp {
  readonly rate: NumberRate | null;
  readonly choices: readonly NumberAlternative[];
}

const NOTHING: LookedUp = { rate: null, choices: [] };

/**
 * Looks up a number's rate without a session token.
 * @param number as typed, at least 3 characters
 */
export async function lookUpRate(number: string, countryCode: string | null, signal: AbortSignal): Promise<LookedUp> {
  try {
    const response = await fetch("/api/rates/lookup-number", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ phone_number: number, ...(countryCode === null ? {} : { country_code: countryCode }) }),
      signal: anySignal(signal, AbortSignal.timeout(LOOKUP_TIMEOUT_MS)),
    });
    const body: unknown = await response.json();
    if (response.ok) return { rate: readRate(body), choices: [] };
    return { rate: null, choices: (body as Partial<ErrorBody> | null)?.choices ?? [] };
  } catch (error) {
    if (!signal.aborted) console.warn("Rate look-up failed.", error);
    return NOTHING;
  }
}

function readRate(body: unknown): NumberRate | null {
  const rate = (body as { rate?: Record<string, unknown> } | null)?.rate;
  if (rate?.["connected"] === false) return null;
  if (typeof rate?.["rate_per_minute"] !== "string" || typeof rate["country_code"] !== "string") return null;
  return {
    ratePerMinute: rate["rate_per_minute"],
    countryCode: rate["country_code"],
    countryName: String(rate["country_name"]),
    description: String(rate["description"]),
    numberType: String(rate["number_type"]),
    firstIntervalSeconds: Number(rate["first_interval_s"]),
    nextIntervalSeconds: Number(rate["next_interval_s"]),
    exact: rate["exact"] === true,
  };
}
