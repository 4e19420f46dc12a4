import type * as phoneNumber from "@farline/domain/numbers/phone-number.ts";
import { useEffect, useState } from "react";
import { leftToRight } from "./left-to-right.ts";

export type NumberLibrary = typeof phoneNumber;

let loaded: NumberLibrary | null = null;

/**
 * The numbering plans of the world: large, so a chunk of its own; null until it is there. Where it does not arrive, the next
 * page that wants it tries again.
 * @param wanted fetch it now
 */
export function useNumberLibrary(wanted: boolean): NumberLibrary | null {
  const [library, setLibrary] = useState(loaded);
  useEffect(() => {
    if (!wanted) return undefined;
    let stale = false;
    const load = async (): Promise<void> => {
      loaded = await import("@farline/domain/numbers/phone-number.ts");
      if (!stale) setLibrary(loaded);
    };
    load().catch(() => undefined);
    return () => {
      stale = true;
    };
  }, [wanted]);
  return library;
}

/** A number with spaces, "+233 20 000 0142", or as it is stored while the numbering plans are not loaded. */
export function writeNumber(e164: string): string {
  return leftToRight(loaded === null ? e164 : loaded.formatInternational(e164));
}

/** A way to write numbers, another one as soon as the numbering plans are there: they are fetched at once. */
export function usePhoneText(): (e164: string) => string {
  return useNumberLibrary(true) === null ? leftToRight : writeNumber;
}
