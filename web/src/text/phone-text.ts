import type * as numberPlans from "@farline/domain/numbers/number-plans.ts";
import { useEffect, useState } from "react";
import { leftToRight } from "./left-to-right.ts";

export type NumberLibrary = typeof numberPlans;

/** Suffix of the shortened number of an old call. */
const SHORTENED = "*";

let loaded: NumberLibrary | null = null;

/** Loads the world's numbering plans. They are large, so they are a separate chunk. */
export async function loadNumberLibrary(): Promise<NumberLibrary> {
  // oxlint-disable-next-line farline/loaded-parts -- pages work without it, and public ones have no session to ask
  loaded ??= await import("@farline/domain/numbers/number-plans.ts");
  return loaded;
}

/**
 * The numbering plans; null until loaded. If loading fails, the next page that needs them retries.
 * @param wanted fetch them now
 */
export function useNumberLibrary(wanted: boolean): NumberLibrary | null {
  const [library, setLibrary] = useState(loaded);
  useEffect(() => {
    if (!wanted) return undefined;
    let stale = false;
    loadNumberLibrary().then(
      (ready) => !stale && setLibrary(ready),
      () => undefined,
    );
    return () => {
      stale = true;
    };
  }, [wanted]);
  return library;
}

/** Whether the number of an old call was shortened: it can no longer be dialled. */
export function isShortened(number: string): boolean {
  return number.endsWith(SHORTENED);
}

/** A number with spaces, "+233 20 000 0142", or as stored while the numbering plans are loading. */
export function writeNumber(e164: string): string {
  return loaded === null || isShortened(e164) ? writeStored(e164) : leftToRight(loaded.formatInternational(e164));
}

/** A number as it is stored; the shortened number of an old call ends with dots: "+23320…". */
function writeStored(number: string): string {
  return leftToRight(isShortened(number) ? `${number.slice(0, -SHORTENED.length)}…` : number);
}

/** Returns a number formatter and starts loading the numbering plans. The formatter is replaced once they are loaded. */
export function usePhoneText(): (e164: string) => string {
  return useNumberLibrary(true) === null ? writeStored : writeNumber;
}
