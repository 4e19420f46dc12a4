import { countryByCode } from "@farline/domain/countries/countries.ts";
import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import type { Params, Reason } from "@farline/texts/reason.ts";
import { AppError } from "./app-error.ts";

const MAX_MICROS = 10_000n * MICROS_PER_DOLLAR;

/** A limit that a customer sets, in micro-dollars; null for none. @throws AppError validation_failed if it is 0 or out of bounds */
export function capOf(micros: bigint | null, field: string): bigint | null {
  if (micros === null) return null;
  if (micros === 0n || micros > MAX_MICROS) throw invalidField(field, "limit_between");
  return micros;
}

/** The only countries that may be called, sorted, without repetition; null for all. @throws AppError validation_failed */
export function countriesOf(codes: readonly string[] | null): string[] | null {
  if (codes === null) return null;
  const unknown = codes.find((code) => countryByCode(code) === undefined);
  if (unknown !== undefined) throw invalidField("countries", "country_unknown", { code: unknown });
  return [...new Set(codes)].toSorted();
}

export function invalidField(field: string, reason: Reason, params?: Params): AppError {
  return new AppError("validation_failed", { reason, params, field });
}
