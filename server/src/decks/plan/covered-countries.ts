import { countryByCode } from "@farline/domain/countries/countries.ts";
import { namedCountries } from "./country-names.ts";
import type { NumberingPlan } from "./numbering-plan.ts";

/** A row's statements about its country, as written; "" if missing. */
interface RowClaims {
  readonly iso: string;
  readonly country: string;
  readonly description: string;
}

interface Claim {
  readonly leading: readonly string[];
  readonly all: readonly string[];
}

/** Territories that share another country's calling code, under which lists often file them. */
const FILED_UNDER: Readonly<Record<string, readonly string[]>> = {
  AS: ["US"],
  AX: ["FI"],
  BL: ["GP", "FR"],
  BQ: ["CW", "NL"],
  CC: ["AU"],
  CX: ["AU"],
  GG: ["GB"],
  GU: ["US"],
  IM: ["GB"],
  JE: ["GB"],
  MF: ["GP", "FR"],
  MP: ["US"],
  PR: ["US"],
  SJ: ["NO"],
  TA: ["SH"],
  VA: ["IT"],
  VI: ["US"],
  YT: ["RE", "FR"],
};

/**
 * The countries whose numbers a row prices under one of its prefixes: those that its country code, country column and description all
 * name or, if they name none, the country of the prefix in the numbering plans. A territory's own prefix may be filed under the country
 * whose calling code it shares, but that country's prefix does not cover the territory.
 * @returns `country_unknown` if no plan has such numbers; `country_differs` if the named countries have none of them
 */
export function coveredCountries(
  plan: NumberingPlan,
  prefix: string,
  row: RowClaims,
): readonly string[] | "country_unknown" | "country_differs" {
  const around = plan.at(prefix)?.countryCode ?? null;
  const within = plan.countriesIn(prefix);
  const claims = claimsOf(plan, row);
  if (within.size === 0 || (claims.length === 0 && around === null)) return "country_unknown";
  if (claims.length === 0) return alone(around as string);
  const covered = [...within].filter((code) => claims.every((claim) => allows(claim, code, code === around)));
  return covered.length === 0 ? "country_differs" : covered.toSorted();
}

const ALONE = new Map<string, readonly string[]>();

/** A list of one country, shared because most of a million prefixes have one. */
function alone(code: string): readonly string[] {
  const known = ALONE.get(code) ?? [code];
  ALONE.set(code, known);
  return known;
}

function claimsOf(plan: NumberingPlan, { iso, country, description }: RowClaims): Claim[] {
  const byCode = (code: string): Claim => ({ leading: [code], all: [code] });
  const ofCountry = countryByCode(country.trim().toUpperCase()) === undefined ? namedCountries(country) : null;
  return [iso === "" ? null : byCode(iso), ofCountry ?? byCode(country.trim().toUpperCase()), namedCountries(description)]
    .filter((claim) => claim !== null && claim.leading.length > 0)
    .map((claim) => ({ leading: withNumbers(plan, claim?.leading ?? []), all: withNumbers(plan, claim?.all ?? []) }));
}

/** Replaces countries without ranges of their own by the country whose numbers they use. */
function withNumbers(plan: NumberingPlan, codes: readonly string[]): string[] {
  return codes.map((code) => (plan.hasCountry(code) ? code : (countryByCode(code)?.ratesFrom ?? code)));
}

/** @param isPrefix whether the whole prefix belongs to the country, not only a part of it */
function allows(claim: Claim, code: string, isPrefix: boolean): boolean {
  if (claim.leading.includes(code)) return true;
  return isPrefix && (claim.all.includes(code) || (FILED_UNDER[code] ?? []).some((main) => claim.all.includes(main)));
}
