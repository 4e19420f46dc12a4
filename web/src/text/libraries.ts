import type * as findCountries from "@farline/domain/countries/find-countries.ts";
import type * as numberPlans from "@farline/domain/numbers/number-plans.ts";
import type * as phoneNumber from "@farline/domain/numbers/phone-number.ts";
import { useEffect, useState } from "react";

export type NumberLibrary = typeof numberPlans;
export type CountryLibrary = typeof findCountries;

/** A large table with its rules, in a chunk of its own. Pages work without it, and public ones have no session to ask. */
interface Library<L> {
  load(): Promise<L>;
  /** Null until loaded. */
  loaded(): L | null;
}

function library<L>(fetchIt: () => Promise<L>): Library<L> {
  let loaded: L | null = null;
  return { load: async () => (loaded ??= await fetchIt()), loaded: () => loaded };
}

/** The world's numbering plans. */
// oxlint-disable-next-line farline/loaded-parts -- see Library
export const numberLibrary: Library<NumberLibrary> = library(() => import("@farline/domain/numbers/number-plans.ts"));

/** Reads what today's plans do not: several numbers, former plans, words on the keys. */
// oxlint-disable-next-line farline/loaded-parts -- see Library
export const numberReader: Library<typeof phoneNumber> = library(() => import("@farline/domain/numbers/phone-number.ts"));

/** The names of countries that people use. */
// oxlint-disable-next-line farline/loaded-parts -- see Library
export const countryLibrary: Library<CountryLibrary> = library(() => import("@farline/domain/countries/find-countries.ts"));

/**
 * A library; null until loaded. If loading fails, the next page that needs it retries.
 * @param wanted fetch it now
 */
export function useLibrary<L>(of: Library<L>, wanted: boolean): L | null {
  const [ready, setReady] = useState(of.loaded);
  useEffect(() => {
    if (!wanted) return undefined;
    let stale = false;
    of.load().then(
      (loaded) => !stale && setReady(loaded),
      () => undefined,
    );
    return () => {
      stale = true;
    };
  }, [of, wanted]);
  return ready;
}
