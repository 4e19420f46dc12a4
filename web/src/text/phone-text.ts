import type * as phoneNumber from "@farline/domain/numbers/phone-number.ts";
import { useEffect, useState } from "react";
import { leftToRight } from "./left-to-right.ts";

export type NumberLibrary = typeof phoneNumber;

let loaded: NumberLibrary | null = null;

/**
 * The world's numbering plans; null until loaded. They are large, so they are a separate chunk. If loading fails, the next
 * page that needs them retries.
 * @param wanted fetch them now
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

/** A number with spaces, "+233 20 000 0142", or as stored while the numbering plans are loading. */
export function writeNumber(e164: string): string {
  return leftToRight(loaded === null ? e164 : loaded.formatInternational(e164));
}

/** Returns a number formatter and starts loading the numbering plans. The formatter is replaced once they are loaded. */
export function usePhoneText(): (e164: string) => string {
  return useNumberLibrary(true) === null ? leftToRight : writeNumber;
}
