import type * as phoneNumber from "@farline/domain/phone-number.ts";
import { useEffect, useState } from "react";
import { leftToRight } from "../../lib/left-to-right.ts";
import { useCallMeant } from "./use-call-meant.ts";

export type NumberLibrary = typeof phoneNumber;

let loaded: NumberLibrary | null = null;

/** A number in its international writing, or as it is while the numbering plans are not loaded. */
export function writeNumber(number: string): string {
  return leftToRight(loaded === null ? number : loaded.formatInternational(number));
}

/**
 * The numbering plans of the world: a chunk of its own, fetched once a call is meant. Null until it is there; the field
 * then takes any text and the service reads the number by the same rules.
 * @param wanted a number is there already and waits to be read
 */
export function useNumberLibrary(wanted = false): NumberLibrary | null {
  const [library, setLibrary] = useState(loaded);
  const meant = useCallMeant();
  useEffect(() => {
    if (!meant && !wanted) return undefined;
    let stale = false;
    const load = async (): Promise<void> => {
      loaded = await import("@farline/domain/phone-number.ts");
      if (!stale) setLibrary(loaded);
    };
    // Without the plans the dialer works on; the next visit of the page tries again.
    load().catch(() => undefined);
    return () => {
      stale = true;
    };
  }, [meant, wanted]);
  return library;
}

/** A way to write the numbers of a list: as they are stored until the numbering plans are there. */
export function useNumberText(): (number: string) => string {
  useNumberLibrary();
  return writeNumber;
}
